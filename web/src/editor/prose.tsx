import { useEffect, useMemo } from 'preact/hooks';
import { useTexts } from '../components/context.js';
import { proseOf } from '../prose.js';

type Policy = { createHTML: (html: string) => string };
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy: (name: string, rules: Policy) => Policy } };
/** For HTML that the API has sanitized (docs/html.md), and no other. */
const sanitized = trustedTypes?.createPolicy('sanitized-html', { createHTML: (html) => html });

/** Shows sanitized HTML of the API as a page does. Its rules are a constructed style sheet, which the policy allows. */
export function Prose({ html, type }: { html: string; type: string | null }) {
  const texts = useTexts();
  const adapted = useMemo(() => proseOf(html, texts), [html, texts]);
  useEffect(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(adapted.style ?? '');
    document.adoptedStyleSheets.push(sheet);
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, [adapted.style]);
  const trusted = useMemo(() => sanitized?.createHTML(adapted.html) ?? adapted.html, [adapted.html]);
  return <div class={`prose ${type ?? ''}`} dir="auto" dangerouslySetInnerHTML={{ __html: trusted }} />;
}
