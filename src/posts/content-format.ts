import { namedValues } from '../common/named-values.js';

export const CONTENT_FORMATS = namedValues('ContentFormat', ['markdown', 'html']);
export type ContentFormat = (typeof CONTENT_FORMATS)[number];

/** A text as a client writes it. */
export type WrittenText = { content?: string; contentFormat?: ContentFormat };
