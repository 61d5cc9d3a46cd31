import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html as names, parseFragment } from 'parse5';

const BODY = defaultTreeAdapter.createElement('body', names.NS.HTML, []);
const UNSEEN = /^(?:script|style|title|svg|noscript|template)$/;
const IN_LINE =
  /^(?:a|abbr|b|button|cite|code|del|dfn|em|font|i|ins|kbd|label|mark|q|s|small|span|strong|sub|sup|time|u|var)$/;

/** Returns the words that a browser shows: an element that is not in a line ends a word. */
export function seen(html: string): string {
  const walk = (node: DefaultTreeAdapterTypes.Node): string => {
    if (defaultTreeAdapter.isTextNode(node)) return node.value;
    if (!('childNodes' in node) || UNSEEN.test(node.nodeName)) return '';
    const text = node.childNodes.map(walk).join('');
    return IN_LINE.test(node.nodeName) ? text : ` ${text} `;
  };
  const inner = parseFragment(BODY, html, { scriptingEnabled: false }).childNodes.map(walk).join('');
  return inner.replace(/\s+/g, ' ').trim();
}
