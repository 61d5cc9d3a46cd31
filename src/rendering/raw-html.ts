import type { Parents, Root } from 'hast';

/** Elements that swallow the text or the blocks after them. GFM calls the first nine disallowed raw HTML. */
export const DISALLOWED_RAW_HTML =
  'title textarea style xmp iframe noembed noframes script plaintext select template frameset'.split(' ');

const TAG = new RegExp(String.raw`<(?=/?(?:${DISALLOWED_RAW_HTML.join('|')})(?:[\t\n\f\r />]|$))`, 'gi');

/** Prepares a tree for `rehype-raw`: escapes tags that would swallow the rest, and preserves a blank first line of code. */
export function escapeDisallowedHtml() {
  return (tree: Root): void => walk(tree);
}

function walk(parent: Parents): void {
  for (const node of parent.children) {
    if (node.type === 'raw') node.value = escapeUnfinished(node.value.replace(TAG, '&lt;'));
    if (node.type !== 'element') continue;
    // The parser drops the first line break after <pre>, even inside <code>.
    if (parent.type === 'element' && parent.tagName === 'pre') {
      const [first] = node.children;
      if (first?.type === 'text' && first.value.startsWith('\n')) first.value = `\n${first.value}`;
    }
    walk(node);
  }
}

/** Escapes an unterminated tag, which would take the rest of the text for its attributes. */
function escapeUnfinished(html: string): string {
  const end = html.lastIndexOf('>') + 1;
  return html.slice(0, end) + html.slice(end).replace(/<(?=[a-z/])/gi, '&lt;');
}
