import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Given to Node before a program: writes the address of every module that it loads to a file.
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env['LOADS_FILE'], `${url}\n`);
    return next(url, context);
  },
});
