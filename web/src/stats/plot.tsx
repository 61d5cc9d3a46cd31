import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

type Props = {
  /** the first day of each bucket */
  days: string[];
  lines: number[][];
  /** for screen readers */
  label: string;
  language: string;
};

const HEIGHT = 240;
const STEPS = [1, 2, 5]
  .flatMap((step) => [0, 1, 2, 3, 4, 5, 6, 7, 8].map((zeros) => step * 10 ** zeros))
  .sort((a, b) => a - b);

/** Two lines of counts over time, in the colors of the page. */
export function Plot({ days, lines, label, language }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current!;
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const width = (): number => element.clientWidth;
    const draw = (): uPlot => {
      const color = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
      const axis = { stroke: color('--soft'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } };
      const date = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' });
      const number = new Intl.NumberFormat(language, { notation: 'compact' });
      const options: uPlot.Options = {
        ...{ width: width(), height: HEIGHT, legend: { show: false }, cursor: { show: false } },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
        scales: { y: { range: (_plot, _least, most) => [0, Math.max(most, 4)] } },
        axes: [
          { ...axis, space: 70, values: (_plot, times) => times.map((time) => date.format(time * 1_000)) },
          { ...axis, incrs: STEPS, values: (_plot, counts) => counts.map((count) => number.format(count)) },
        ],
        series: [{}, { stroke: color('--accent'), width: 2 }, { stroke: color('--ink'), width: 2, dash: [6, 4] }],
      };
      return new uPlot(options, [days.map((day) => Date.parse(day) / 1_000), ...lines], element);
    };
    let plot = draw();
    const drawAgain = (): void => {
      plot.destroy();
      plot = draw();
    };
    const observer = new ResizeObserver(() => plot.setSize({ width: width(), height: HEIGHT }));
    observer.observe(element);
    scheme.addEventListener('change', drawAgain);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', drawAgain);
      plot.destroy();
    };
  }, [days, lines]);
  return <div class="plot" role="img" aria-label={label} ref={place} />;
}
