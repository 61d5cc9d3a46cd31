import { useMemo } from 'preact/hooks';
import { useLoaded } from '../account/use-loaded.js';
import type { Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { type Bucket, Table, TwoLines } from './parts.js';

type Stats = Schemas['SiteStatistics'];
type Figure = Exclude<keyof Stats['series'][number], 'at'>;

const FIGURES: Figure[] = [
  ...(['newAccounts', 'activeAccounts', 'posts', 'comments', 'likes', 'reports'] as const),
  ...(['firstActionSeconds', 'mails', 'storageBytes'] as const),
];
const CHARTS = [
  ['activeAccounts', 'newAccounts'],
  ['comments', 'posts'],
] as const;

/** `/stats/site`: the figures of the site, for admins. */
export function SiteStats({ bucket }: { bucket: Bucket }) {
  const { data, wait } = useLoaded<Stats>(
    () => unwrap(api.GET('/v1/admin/stats', { params: { query: { bucket } } })) as Promise<Stats>,
  );
  return data === undefined ? wait : <Figures series={data.series} />;
}

function Figures({ series }: Pick<Stats, 'series'>) {
  const { language, siteStats: texts, stats } = useTexts();
  const days = useMemo(() => series.map(({ at }) => at), [series]);
  const charts = useMemo(() => CHARTS.map((names) => names.map((name) => series.map((one) => one[name]))), [series]);
  const number = new Intl.NumberFormat(language);
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  const unit = (name: string, value: number): string =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, maximumFractionDigits: 0 }).format(value);
  const show = (name: Figure, value: number | null): string => {
    if (value === null) return '–';
    if (name === 'firstActionSeconds') return unit('minute', value / 60);
    return name === 'storageBytes' ? unit('megabyte', value / 1e6) : number.format(value);
  };
  return (
    <>
      {CHARTS.map((names, at) => (
        <TwoLines
          key={names[0]}
          days={days}
          lines={charts[at]!}
          names={names.map((name) => texts.figures[name])}
          label={texts.plot(names.map((name) => texts.figures[name]))}
        />
      ))}
      <Table heads={[stats.from, ...FIGURES.map((name) => texts.figures[name])]}>
        {series.toReversed().map((one) => (
          <tr key={one.at}>
            <th scope="row">{date.format(Date.parse(one.at))}</th>
            {FIGURES.map((name) => (
              <td key={name}>{show(name, one[name])}</td>
            ))}
          </tr>
        ))}
      </Table>
      <p class="small">{texts.hourly}</p>
    </>
  );
}
