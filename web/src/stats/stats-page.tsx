import { useMemo, useState } from 'preact/hooks';
import { OwnPage } from '../account/signed-in.js';
import { useLoaded } from '../account/use-loaded.js';
import { postPath, type Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { type Bucket, Table, TwoLines } from './parts.js';
import { SiteStats } from './site-stats.js';

type Stats = Schemas['PostStatistics'] & Partial<Pick<Schemas['AuthorStatistics'], 'topPosts'>>;

const BUCKETS: Bucket[] = ['day', 'week', 'month'];
const COUNTERS = ['views', 'reads', 'shares', 'likes', 'comments', 'follows'] as const;

/** `/stats`: what happened to my posts; `/stats/<id>`: to one of them; `/stats/site`: on the whole site. */
export function StatsPage() {
  const { stats: texts, siteStats } = useTexts();
  const [, , id] = location.pathname.split('/');
  const [bucket, setBucket] = useState<Bucket>('day');
  return (
    <OwnPage title={id === 'site' ? siteStats.title : texts.title} isWide>
      <label class="buckets">
        {texts.by}{' '}
        <select value={bucket} onChange={({ currentTarget }) => setBucket(currentTarget.value as Bucket)}>
          {BUCKETS.map((name) => (
            <option key={name} value={name}>
              {texts.buckets[name]}
            </option>
          ))}
        </select>
      </label>
      {id === 'site' ? <SiteStats key={bucket} bucket={bucket} /> : <Loaded key={bucket} bucket={bucket} id={id} />}
    </OwnPage>
  );
}

function Loaded({ bucket, id }: { bucket: Bucket; id: string | undefined }) {
  const { data, wait } = useLoaded<Stats>(() =>
    id === undefined
      ? unwrap(api.GET('/v1/users/me/stats', { params: { query: { bucket } } }))
      : unwrap(api.GET('/v1/posts/{id}/stats', { params: { path: { id }, query: { bucket } } })),
  );
  return data === undefined ? wait : <Figures stats={data} id={id} />;
}

function Figures({ stats, id }: { stats: Stats; id: string | undefined }) {
  const { language, stats: texts } = useTexts();
  const { totals, series, readRatio, referrers, topPosts = [] } = stats;
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  const counters = COUNTERS.filter((name) => name in totals) as (keyof Stats['totals'])[];
  const days = useMemo(() => series.map(({ at }) => at), [series]);
  const lines = useMemo(() => [series.map(({ views }) => views), series.map(({ reads }) => reads)], [series]);
  const sum = (counts: number[] = []): string => number.format(counts.reduce((total, count) => total + count, 0));
  return (
    <>
      {id !== undefined && (
        <p>
          <a href={`/p/${id}`}>{texts.showPost}</a> · <a href="/stats">{texts.allPosts}</a>
        </p>
      )}
      <h2>{texts.totals}</h2>
      <dl class="totals">
        {counters.map((name) => (
          <div key={name}>
            <dt>{texts.counters[name]}</dt>
            <dd>{number.format(totals[name])}</dd>
          </div>
        ))}
      </dl>
      <h2>{texts.course}</h2>
      <TwoLines
        days={days}
        lines={lines}
        names={[texts.counters.views, texts.counters.reads]}
        label={texts.plot(sum(lines[0]), sum(lines[1]))}
      >
        {readRatio !== null && <span>{texts.readRatio(percent.format(readRatio))}</span>}
      </TwoLines>
      {id === undefined && <p class="small">{texts.window}</p>}
      <details>
        <summary>{texts.table}</summary>
        <Table heads={[texts.from, ...counters.map((name) => texts.counters[name])]}>
          {series.toReversed().map((bucket) => (
            <tr key={bucket.at}>
              <th scope="row">{date.format(Date.parse(bucket.at))}</th>
              {counters.map((name) => (
                <td key={name}>{number.format(bucket[name])}</td>
              ))}
            </tr>
          ))}
        </Table>
      </details>
      {topPosts.length > 0 && (
        <>
          <h2>{texts.topPosts}</h2>
          <Table heads={[texts.post, texts.counters.views]}>
            {topPosts.map((post) => (
              <tr key={post.id}>
                <th scope="row" dir="auto">
                  <a href={postPath(post)}>{post.title}</a>
                </th>
                <td>
                  <a href={`/stats/${post.id}`} aria-label={texts.statsOf(post.title, number.format(post.views))}>
                    {number.format(post.views)}
                  </a>
                </td>
              </tr>
            ))}
          </Table>
        </>
      )}
      {referrers.length > 0 && (
        <>
          <h2>{texts.referrers}</h2>
          <Table heads={[texts.host, texts.counters.views]}>
            {referrers.map(({ host, views }) => (
              <tr key={host}>
                <th scope="row">{{ internal: texts.internal, other: texts.other }[host] ?? host}</th>
                <td>{number.format(views)}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </>
  );
}
