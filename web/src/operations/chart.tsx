/** Figures at a time in milliseconds; null: there was none. */
type Point = { at: number; values: (number | null)[] };

/** The time that a chart shows. */
export const PERIOD_MS = 300_000;
/** A longer pause between two points is a gap: the server or the reader was away. */
const GAP_MS = 40_000;
const [WIDTH, HEIGHT] = [300, 60];

type Props = {
  title: string;
  /** names of the lines, if there are several */
  names?: string[];
  points: readonly Point[];
  /** the top of a chart with a fixed range */
  highest?: number;
  format: (value: number) => string;
  describe: (now: string, lowest: string, highest: string) => string;
};

/** Lines over the last minutes, which end now. */
export function Chart({ title, names = [], points, highest, format, describe }: Props) {
  const values = points.flatMap((point) => point.values).filter((value) => value !== null);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const top = highest ?? (most || 1);
  const last = points.at(-1) ?? { at: 0, values: [] };
  const now = last.values.map((value) => (value === null ? '–' : format(value))).join(' / ');
  const lineOf = (index: number): string => {
    let [path, lastAt] = ['', -Infinity];
    for (const { at, values: ofPoint } of points) {
      const value = ofPoint[index];
      if (value == null) continue;
      const [x, y] = [WIDTH * (1 - (last.at - at) / PERIOD_MS), HEIGHT * (1 - value / top)];
      // A line without length makes a single point visible.
      path += at - lastAt > GAP_MS ? `M${x} ${y}h0` : `L${x} ${y}`;
      lastAt = at;
    }
    return path;
  };
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span> <strong>{now}</strong>
      </figcaption>
      <svg
        role="img"
        aria-label={values.length === 0 ? title : `${title}: ${describe(now, format(least), format(most))}`}
        viewBox={`0 -3 ${WIDTH} ${HEIGHT + 6}`}
        preserveAspectRatio="none"
      >
        {last.values.map((_, index) => (
          <path key={index} class={`line-${index}`} d={lineOf(index)} />
        ))}
      </svg>
      <p class="small" aria-hidden="true">
        {names.map((name, index) => (
          <span key={name} class={`line-${index}`}>
            {name}
          </span>
        ))}
        <span>{values.length > 0 && `≤ ${format(top)}`}</span>
      </p>
    </figure>
  );
}
