/** A span of a formula. The server writes attributes with double quotes, and `<` and `"` of texts as entities. */
const STYLED = /<(span|svg)((?: [a-zA-Z-]+="[^"]*")*?) style="([^"]*)"/g;
const CLASS = / class="([^"]*)"/;
/** Lengths, colors and keywords only, so that no value can end its rule. */
const SAFE = /^[\w\s:;.,#%()+-]*$/;

/**
 * Replaces the `style` attributes of formulas by classes, because the policy of the site allows no inline styles.
 * @returns the HTML, and the rules of these classes
 */
export function extractStyles(html: string): { html: string; style: string | undefined } {
  const classes = new Map<string, string>();
  const rewritten = html.replace(STYLED, (_, name: string, attributes: string, style: string) => {
    if (!SAFE.test(style)) return `<${name}${attributes}`;
    let known = classes.get(style);
    if (known === undefined) classes.set(style, (known = `f${classes.size}`));
    const added = CLASS.test(attributes)
      ? attributes.replace(CLASS, ` class="$1 ${known}"`)
      : `${attributes} class="${known}"`;
    return `<${name}${added}`;
  });
  const rules = [...classes].map(([style, name]) => `.${name}.${name}{${style}}`);
  return { html: rewritten, style: rules.length === 0 ? undefined : rules.join('') };
}
