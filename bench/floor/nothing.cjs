// What it costs to start Node and end it.
module.exports = {};
