import type { ComponentChildren } from 'preact';
import { useTexts } from '../components/context.js';
import { Plot } from './plot.js';
import type { Schemas } from '../api.js';

export type Bucket = Schemas['StatBucket'];

type Lines = {
  days: string[];
  lines: number[][];
  names: string[];
  /** for screen readers */
  label: string;
  children?: ComponentChildren;
};

/** A chart of two lines with its legend. */
export function TwoLines({ days, lines, names, label, children }: Lines) {
  const { language } = useTexts();
  return (
    <figure class="plot-frame">
      <figcaption>
        {names.map((name, at) => (
          <span key={name} class={`line-${at}`}>
            {name}
          </span>
        ))}
        {children}
      </figcaption>
      <Plot days={days} lines={lines} label={label} language={language} />
    </figure>
  );
}

/** Scrolls alone on a narrow screen. */
export function Table({ heads, children }: { heads: string[]; children: ComponentChildren }) {
  return (
    <div class="stats-table" tabIndex={0} role="group" aria-label={heads.join(', ')}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
