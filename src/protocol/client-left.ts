/** Why a turn is ended that its user did not stop: the program that asked for it cancelled its call, or is gone. */
export const clientLeft = Symbol('the client left');
