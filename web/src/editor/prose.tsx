import { useEffect, useMemo } from 'preact/hooks';
import { useTexts } from '../components/context.js';
import { proseOf } from '../prose.js';
import { trusted } from '../trusted.js';

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
  const shown = useMemo(() => trusted(adapted.html), [adapted.html]);
  return <div class={`prose ${type ?? ''}`} dir="auto" dangerouslySetInnerHTML={{ __html: shown }} />;
}
