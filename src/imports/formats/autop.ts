/** Blocks whose content is written as it is shown: line ends in them are no paragraphs. */
const CLOSED = 'pre|table|ul|ol|dl|figure|h[1-6]|form|script|style|details';
/** Blocks that may contain paragraphs. */
const OPEN = 'p|div|blockquote|section|article|aside|main|header|footer|center|hr';
const BLOCK = new RegExp(`<(/?)(?:(${CLOSED})|${OPEN})(?=[\\s/>])[^<>]*>`, 'gi');
const BLANK_LINES = /\n(?:[^\S\n]*\n)+/;

/**
 * Adds the paragraphs and line ends that WordPress adds when it shows a text of its classic editor: blank lines separate paragraphs.
 * Texts of the block editor have paragraphs.
 */
export function autop(content: string): string {
  if (content.includes('<!-- wp:')) return content;
  const text = content
    .replaceAll('\r\n', '\n')
    .replace(/\[caption[^[\]<>]*\]/g, '<figure>')
    .replaceAll('[/caption]', '</figure>');
  const parts: string[] = [];
  let [at, depth] = [0, 0];
  const addUntil = (end: number): void => {
    const part = text.slice(at, end);
    parts.push(depth > 0 ? part : paragraphs(part));
  };
  for (const { 0: tag, 1: slash, 2: closed, index } of text.matchAll(BLOCK)) {
    addUntil(index);
    parts.push(tag);
    at = index + tag.length;
    if (closed !== undefined) depth = Math.max(0, depth + (slash === '' ? 1 : -1));
  }
  addUntil(text.length);
  return parts.join('');
}

function paragraphs(text: string): string {
  const parts = text.split(BLANK_LINES).map((part) => part.trim());
  return parts.map((part) => (part === '' ? '' : `<p>${part.replaceAll('\n', '<br />\n')}</p>\n`)).join('');
}
