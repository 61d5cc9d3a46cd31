/** stored comments; COMMENT_MAX_LENGTH limits new texts */
export const MAX_CONTENT_LENGTH = 10_000;
/** characters of the HTML of a comment */
export const MAX_HTML_LENGTH = 100_000;
/** the maximum number of ancestors; deeper replies are rejected */
export const MAX_DEPTH = 30;
/** Signs of a text whose words or hosts readers may see differently from its source: escapes, emphasis, code, HTML, links. */
export const MARKUP = /[\\*_~`<&[]|www\.|:\/\//i;
