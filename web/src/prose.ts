import type { Texts } from './texts/en.js';

/** A whole tag. In the HTML of the server, values have double quotes, and `"` within them is an entity. */
const TAG = /<[a-z](?:[^"<>]|"[^"]*")*>/gi;
const STYLE = / style="([^"]*)"/;
const CLASS = / class="([^"]*)"/;
/** Lengths, colors and keywords only, so that no value can end its rule. */
const SAFE = /^[\w\s:;.,#%()+-]*$/;

/**
 * Adapts sanitized HTML of the API to pages of the site: replaces the `style` attributes of formulas by classes, because the policy allows
 * no inline styles, names check boxes, and lets the keyboard scroll long lines of code.
 * @returns the HTML, and the rules of these classes
 */
export function proseOf(html: string, texts: Texts): { html: string; style: string | undefined } {
  const classes = new Map<string, string>();
  const adapted = html.replace(TAG, (tag) => {
    if (tag === '<pre>') return '<pre tabindex="0">';
    if (tag.startsWith('<input ')) {
      const label = tag.includes(' checked') ? texts.done : texts.notDone;
      return tag.replace('<input', `<input aria-label="${label}"`);
    }
    const [attribute, style = ''] = STYLE.exec(tag) ?? [];
    if (attribute === undefined) return tag;
    const plain = tag.replace(attribute, '');
    if (!SAFE.test(style)) return plain;
    let name = classes.get(style);
    if (name === undefined) classes.set(style, (name = `f${classes.size}`));
    if (CLASS.test(plain)) return plain.replace(CLASS, ` class="$1 ${name}"`);
    return plain.replace(/^<\w+/, `$& class="${name}"`);
  });
  const rules = [...classes].map(([style, name]) => `.${name}.${name}{${style}}`);
  return { html: adapted, style: rules.length === 0 ? undefined : rules.join('') };
}
