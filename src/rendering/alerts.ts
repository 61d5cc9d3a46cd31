import type { Element } from 'hast';

const TITLES = new Map(['Note', 'Tip', 'Important', 'Warning', 'Caution'].map((title) => [title.toUpperCase(), title]));

/** A quote whose first line is `[!NOTE]` is an alert, with the classes that GitHub gives it. */
export function markAlert({ properties, children }: Element): void {
  const paragraph = children.find((node) => node.type === 'element');
  const mark = paragraph?.children[0];
  if (paragraph?.tagName !== 'p' || mark?.type !== 'text') return;
  const found = /^\s*\[!([a-z]{3,9})\]\s*$/i.exec(mark.value);
  const title = TITLES.get(found?.[1]?.toUpperCase() ?? '');
  const next = paragraph.children[1];
  if (title === undefined || (next !== undefined && !(next.type === 'element' && next.tagName === 'br'))) return;
  properties['className'] = ['markdown-alert', `markdown-alert-${title.toLowerCase()}`];
  const heading: Element = {
    type: 'element',
    tagName: 'p',
    properties: { className: ['markdown-alert-title'] },
    children: [{ type: 'text', value: title }],
  };
  const rest = paragraph.children.slice(2);
  if (rest[0]?.type === 'text') rest[0] = { ...rest[0], value: rest[0].value.trimStart() };
  const at = children.indexOf(paragraph);
  children.splice(at, 1, heading, ...(rest.length === 0 ? [] : [{ ...paragraph, children: rest }]));
}
