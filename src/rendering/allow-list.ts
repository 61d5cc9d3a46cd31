import type { Options } from 'rehype-sanitize';
import { DISALLOWED_RAW_HTML } from './raw-html.js';

/** Prefix of ids in user content. Without the prefix, ids could collide with ids of the page (DOM clobbering). */
export const ID_PREFIX = 'user-content-';

const WEB = ['http', 'https'];
const SPAN = /^\d{1,4}$/;
/** Width or height of an image, width of a table or cell: pixels or percent. */
const SIZE = /^(?:\d{1,4}(?:px)?|(?:100|\d{1,2})%)$/;
const ALIGN: [string, ...string[]] = ['align', 'left', 'center', 'right'];

/** The elements and attributes in the HTML of a post; docs/html.md lists them. Formulas are added afterwards. */
export const ALLOW_LIST: Options = {
  tagNames:
    'a abbr b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s samp section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr'.split(
      ' ',
    ),
  // Removes these elements with their content, if `escapeDisallowedHtml` missed one. Other elements lose only their tags.
  strip: DISALLOWED_RAW_HTML,
  attributes: {
    '*': ['id', 'title', 'lang', ['dir', 'ltr', 'rtl', 'auto'], 'ariaLabel'],
    a: [
      'href',
      'name',
      'ariaDescribedBy',
      'dataFootnoteRef',
      'dataFootnoteBackref',
      ['className', 'data-footnote-backref'],
    ],
    blockquote: ['cite'],
    code: [['className', /^language-[\w+#.-]{1,40}$/, 'math-inline', 'math-display']],
    del: ['cite', 'dateTime'],
    details: ['open'],
    div: [ALIGN],
    h1: [ALIGN],
    h2: [ALIGN, ['className', 'sr-only']],
    h3: [ALIGN],
    h4: [ALIGN],
    h5: [ALIGN],
    h6: [ALIGN],
    img: ['src', 'alt', ALIGN, ['width', SIZE], ['height', SIZE]],
    input: [['type', 'checkbox'], 'checked', ['disabled', true]],
    ins: ['cite', 'dateTime'],
    li: ['value', ['className', 'task-list-item']],
    ol: ['start', 'reversed', ['type', '1', 'a', 'A', 'i', 'I'], ['className', 'contains-task-list']],
    p: [ALIGN],
    q: ['cite'],
    section: ['dataFootnotes', ['className', 'footnotes']],
    table: [ALIGN, ['width', SIZE]],
    td: [ALIGN, ['width', SIZE], ['colSpan', SPAN], ['rowSpan', SPAN]],
    th: [ALIGN, ['width', SIZE], ['colSpan', SPAN], ['rowSpan', SPAN], 'scope'],
    time: ['dateTime'],
    ul: [['className', 'contains-task-list']],
  },
  required: { input: { type: 'checkbox', disabled: true } },
  // `postProcess` replaces `media:<id>` with the URL of the image
  protocols: { href: [...WEB, 'mailto'], cite: WEB, src: [...WEB, 'media'] },
  ancestors: Object.fromEntries('caption tbody td tfoot th thead tr'.split(' ').map((name) => [name, ['table']])),
  clobber: ['id', 'name', 'ariaDescribedBy'],
  clobberPrefix: ID_PREFIX,
};
