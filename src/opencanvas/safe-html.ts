import { ALLOW_LIST } from '../rendering/allow-list.js';

type Rule = string | [name: string, ...values: (string | RegExp | boolean)[]];

/** Raw HTML excludes elements whose rules depend on their parent, and attributes that can clobber DOM properties of the page. */
const EXCLUDED_TAGS = new Set(['input', 'section']);
const CLOBBERING = new Set(['id', 'name', 'ariadescribedby']);
const TAGS = new Set(ALLOW_LIST.tagNames!.filter((name) => !EXCLUDED_TAGS.has(name)));

const NAME = /^\/?([a-z][a-z0-9]*)(?=[\s/]|$)/i;
const ATTRIBUTE = /^\s+([a-z][a-z-]*)(?:=("[^"]*"|'[^']*'|[^\s"'=`&]+))?/i;
/** Longer tags are escaped. Authors write shorter tags. */
const MAX_TAG = 3_000;
const URLS = new Set(['href', 'src', 'cite']);
/** Allows no character references except `&amp;`, because they could hide a scheme. */
const WEB_ADDRESS = /^(?:https?:\/\/|[#/?])[^\s&]*(?:&amp;[^\s&]*)*$/i;

/** Whether all tags of a raw HTML fragment are complete and allowed by docs/html.md, with allowed attributes only. */
export function isSafeHtml(html: string): boolean {
  return html
    .split('<')
    .slice(1)
    .every((piece) => {
      const end = piece.indexOf('>');
      return end !== -1 && isSafeTag(piece.slice(0, end));
    });
}

function isSafeTag(tag: string): boolean {
  const [opening, name] = NAME.exec(tag) ?? [];
  if (opening === undefined || tag.length > MAX_TAG || !TAGS.has(name!.toLowerCase())) return false;
  let rest = tag.slice(opening.length);
  for (let found = ATTRIBUTE.exec(rest); found !== null; found = ATTRIBUTE.exec(rest)) {
    const [attribute, key, value = ''] = found;
    if (!isSafeAttribute(name!.toLowerCase(), key!, value.replace(/^["']|["']$/g, ''))) return false;
    rest = rest.slice(attribute.length);
  }
  return ['', '/'].includes(rest.trim());
}

function isSafeAttribute(tag: string, name: string, value: string): boolean {
  // The list contains property names such as `colSpan` and `ariaLabel`.
  const property = name
    .toLowerCase()
    .replaceAll('-', '')
    .replace(/^class$/, 'classname');
  if (CLOBBERING.has(property)) return false;
  const rules = [...rulesOf('*'), ...rulesOf(tag)].filter((rule) => nameOf(rule).toLowerCase() === property);
  if (URLS.has(property) && !WEB_ADDRESS.test(value)) return false;
  return rules.some((rule) => {
    if (typeof rule === 'string') return true;
    return rule.slice(1).some((allowed) => (allowed instanceof RegExp ? allowed.test(value) : allowed === value));
  });
}

function rulesOf(tag: string): Rule[] {
  return (ALLOW_LIST.attributes![tag] ?? []) as Rule[];
}

function nameOf(rule: Rule): string {
  return typeof rule === 'string' ? rule : rule[0];
}
