export const MAX_CONTENT_LENGTH = 1_000;
/** the maximum number of ancestors; deeper replies are rejected */
export const MAX_DEPTH = 30;
