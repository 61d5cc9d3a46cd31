import { useEffect, useRef } from 'preact/hooks';
import type { Fields } from './fields.js';

type Text = Pick<Fields, 'title' | 'content'> & { label: string; action: string; choose: () => void };

/** Two texts side by side, and a choice between them. It takes the focus. */
export function Compare({ title, hint, texts }: { title: string; hint?: string; texts: [Text, Text] }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class="compare" aria-labelledby="compare-title">
      <h2 id="compare-title" tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {hint !== undefined && <p>{hint}</p>}
      <div class="panes">
        {texts.map(({ label, action, choose, title: name, content }) => (
          <div key={label}>
            <label class="field">
              <span>{label}</span>
              <textarea readOnly rows={12} dir="auto" value={name === '' ? content : `${name}\n\n${content}`} />
            </label>
            <button type="button" class="button" onClick={choose}>
              {action}
            </button>
          </div>
        ))}
      </div>
    </section>
  );
}
