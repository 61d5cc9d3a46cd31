export const MAX_CONTENT_LENGTH = 1_000;
/** the maximum of ancestors; a reply below is refused */
export const MAX_DEPTH = 30;
