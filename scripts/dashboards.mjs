// Writes the Grafana dashboards of deploy/grafana from the table below. `node scripts/dashboards.mjs`; a test compares the files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib/prepare.mjs';

/** Selects the hosts that the reader of a dashboard has chosen. */
const HOSTS = 'instance=~"$instance"';
/** @param labels as `way="cached"` */
const of = (name, labels = '') => `opencanvas_${name}{${[labels, HOSTS].filter(Boolean).join(', ')}}`;
const rate = (name, labels) => `rate(${of(name, labels)}[$__rate_interval])`;
const sumRate = (by, name, labels) => `sum by (${by}) (${rate(name, labels)})`;
const quantile = (share, name, { by = '', labels = '' } = {}) =>
  `histogram_quantile(${share}, sum by (${['le', by].filter(Boolean).join(', ')}) (${rate(`${name}_bucket`, labels)}))`;
const ratio = (part, whole) => `${part} / ${whole}`;

/** dashboard -> panels: title, unit, and expressions by legend */
export const DASHBOARDS = {
  Overview: [
    ['Requests by way', 'reqps', { '{{way}}': sumRate('way', 'http_requests_total') }],
    ['Responses by status', 'reqps', { '{{status}}': sumRate('status', 'http_requests_total') }],
    [
      'Share of 5xx (budget: 0.1 %)',
      'percentunit',
      {
        '{{instance}}': ratio(
          sumRate('instance', 'http_requests_total', 'status="5xx"'),
          sumRate('instance', 'http_requests_total'),
        ),
      },
    ],
    [
      'Latency in the framework',
      's',
      {
        p50: quantile(0.5, 'http_request_seconds'),
        p99: quantile(0.99, 'http_request_seconds'),
      },
    ],
    ['p99 by route', 's', { '{{route}}': `topk(10, ${quantile(0.99, 'http_request_seconds', { by: 'route' })})` }],
    ['Bytes', 'Bps', { '{{instance}}': sumRate('instance', 'response_bytes_total') }],
    [
      'Shed and limited requests',
      'reqps',
      {
        shed: sumRate('instance', 'admission_refused_total'),
        '{{policy}}': sumRate('policy', 'rate_limited_total'),
        'connections {{why}}': sumRate('why', 'connections_closed_total'),
      },
    ],
    ['Sign-ins by outcome', 'reqps', { '{{outcome}}': sumRate('outcome', 'sign_in_total') }],
    ['Hashing of passwords', 's', { p50: quantile(0.5, 'hash_seconds'), p99: quantile(0.99, 'hash_seconds') }],
    ['Wrong counters in a sample', 'short', { posts: `max(${of('counter_differences')})` }],
    ['Age of the ranks', 's', { ranks: `min(${of('epoch_age_seconds')})` }],
    ['Since the last backup', 's', { backup: `time() - max(${of('backup_last_success_timestamp_seconds')})` }],
  ],
  Database: [
    ['Commands', 'ops', { '{{command}}': `topk(10, ${sumRate('command', 'mongo_command_seconds_count')})` }],
    [
      'p99 of commands',
      's',
      { '{{command}}': `topk(10, ${quantile(0.99, 'mongo_command_seconds', { by: 'command' })})` },
    ],
    [
      'Failed commands',
      'ops',
      { '{{command}}': sumRate('command', 'mongo_command_seconds_count', 'outcome="failed"') },
    ],
    ['Slow commands', 'ops', { '{{instance}}': sumRate('instance', 'mongo_slow_queries_total') }],
    ['Wait for a connection, p99', 's', { p99: quantile(0.99, 'mongo_pool_wait_seconds') }],
    [
      'Connections of the hosts',
      'short',
      {
        '{{state}}': `sum by (state) (${of('mongo_pool_connections')})`,
        limit: `sum(${of('mongo_pool_limit', 'of="host"')})`,
      },
    ],
    ['Connections of MongoDB', 'short', { '{{state}}': `max by (state) (${of('mongo_connections')})` }],
    ['Duration of commits, p99', 's', { '{{group}}': quantile(0.99, 'commit_seconds', { by: 'group' }) }],
    [
      'Items of a commit',
      'short',
      { '{{group}}': ratio(sumRate('group', 'commit_items_sum'), sumRate('group', 'commit_items_count')) },
    ],
    [
      'Conflicts and unknown commits',
      'ops',
      {
        conflicts: sumRate('instance', 'conflicts_total'),
        unknown: sumRate('instance', 'commit_unknown_total'),
      },
    ],
    ['Replication lag', 's', { lag: `max(${of('mongo_replication_lag_seconds')})` }],
    ['Oplog', 's', { window: `max(${of('mongo_oplog_window_seconds')})` }],
    ['Cache not on disk', 'percentunit', { dirty: `max(${of('mongo_dirty_ratio')})` }],
  ],
  Queue: [
    ['Waiting tasks', 'short', { '{{topic}}': `max by (topic) (${of('tasks_waiting')})` }],
    ['Oldest task', 's', { oldest: `max(${of('tasks_oldest_seconds')})` }],
    ['Runs of tasks', 'ops', { '{{lane}} {{outcome}}': sumRate('lane, outcome', 'task_runs_total') }],
    ['Delay of tasks, p99', 's', { p99: quantile(0.99, 'task_lag_seconds') }],
    ['Facts for notifications', 'ops', { '{{outcome}}': sumRate('outcome', 'activity_facts_total') }],
    ['Oldest fact', 's', { oldest: `max(${of('activity_oldest_seconds')})` }],
    ['Mails', 'ops', { '{{outcome}}': sumRate('outcome', 'mails_total') }],
    ['Push messages', 'ops', { '{{outcome}}': sumRate('outcome', 'pushes_total') }],
    ['Webhooks', 'ops', { '{{outcome}}': sumRate('outcome', 'webhook_deliveries_total') }],
    ['Runs of jobs', 'ops', { '{{task}} {{outcome}}': sumRate('task, outcome', 'job_runs_total') }],
    ['Last run of jobs', 's', { '{{task}}': `max by (task) (${of('job_last_run_seconds')})` }],
    ['Leases', 'short', { '{{task}} {{instance}}': `max by (task, instance) (${of('lease_held')})` }],
  ],
  Cache: [
    [
      'Share of hits',
      'percentunit',
      {
        '{{instance}}': ratio(
          sumRate('instance', 'http_requests_total', 'way="cached"'),
          sumRate('instance', 'http_requests_total'),
        ),
      },
    ],
    ['Hits by route', 'reqps', { '{{route}}': `topk(10, ${sumRate('route', 'cache_hits_total')})` }],
    ['Hits by state', 'reqps', { '{{state}}': sumRate('state', 'cache_hit_states_total') }],
    ['Other lookups', 'reqps', { '{{state}}': sumRate('state', 'cache_total') }],
    ['Entries', 'short', { '{{instance}}': `sum by (instance) (${of('cache_entries')})` }],
    ['Memory', 'bytes', { '{{instance}}': `sum by (instance) (${of('cache_bytes')})` }],
    ['Pages of the following feed', 'ops', { '{{from}}': sumRate('from', 'following_pages_total') }],
    ['Delay of events, p99', 's', { p99: quantile(0.99, 'event_lag_seconds') }],
    ['Hosts without events', 'short', { '{{instance}}': `max by (instance) (${of('event_stream_stale')})` }],
  ],
  Processes: [
    ['Ready', 'short', { '{{instance}} {{process}}': `max by (instance, process) (${of('process_up')})` }],
    [
      'Restarts in ten minutes',
      'short',
      { '{{instance}} {{process}}': `sum by (instance, process) (increase(${of('restarts_total')}[10m]))` },
    ],
    [
      'Busy event loop',
      'percentunit',
      { '{{instance}} {{role}} {{pid}}': `max by (instance, role, pid) (${of('loop_utilisation')})` },
    ],
    ['Event loop delay', 's', { '{{instance}}': `max by (instance) (${of('event_loop_delay_seconds')})` }],
    [
      'CPU',
      'percentunit',
      { '{{instance}} {{role}} {{pid}}': `sum by (instance, role, pid) (${rate('process_cpu_seconds')})` },
    ],
    [
      'Memory',
      'bytes',
      { '{{instance}} {{role}} {{pid}}': `sum by (instance, role, pid) (${of('process_memory_bytes')})` },
    ],
    ['Requests in flight', 'short', { '{{instance}}': `sum by (instance) (${of('requests_in_flight')})` }],
    ['Waiting reads', 'short', { '{{instance}}': `sum by (instance) (${of('reads_waiting')})` }],
    ['Streams of events', 'short', { '{{instance}}': `sum by (instance) (${of('event_streams_open')})` }],
    ['Waiting for the CPU pool', 'short', { '{{instance}}': `sum by (instance) (${of('cpu_tasks_waiting')})` }],
    ['Versions', 'short', { '{{instance}} {{version}}': `max by (instance, version) (${of('build_info')})` }],
    ['Other hosts', 'short', { '{{instance}}': `max by (instance) (${of('other_hosts')})` }],
  ],
};

const COLUMNS = 3;
const [WIDTH, HEIGHT] = [24 / COLUMNS, 8];
const SOURCE = { type: 'prometheus', uid: '${datasource}' };

/** Returns the files by name. */
export function dashboardFiles() {
  return Object.fromEntries(
    Object.entries(DASHBOARDS).map(([title, panels]) => [
      `${title.toLowerCase()}.json`,
      `${JSON.stringify(dashboardOf(title, panels), null, 2)}\n`,
    ]),
  );
}

function dashboardOf(title, panels) {
  return {
    uid: `opencanvas-${title.toLowerCase()}`,
    title: `OpenCanvas: ${title.toLowerCase()}`,
    tags: ['opencanvas'],
    schemaVersion: 39,
    timezone: 'browser',
    time: { from: 'now-3h', to: 'now' },
    refresh: '30s',
    links: [{ type: 'dashboards', tags: ['opencanvas'], title: 'OpenCanvas', asDropdown: true, keepTime: true }],
    templating: {
      list: [
        { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        {
          name: 'instance',
          label: 'Host',
          type: 'query',
          datasource: SOURCE,
          query: { query: 'label_values(opencanvas_build_info, instance)', refId: 'instance' },
          refresh: 2,
          multi: true,
          includeAll: true,
          allValue: '.*',
          current: { text: ['All'], value: ['$__all'] },
        },
      ],
    },
    panels: panels.map(([panelTitle, unit, expressions], at) => ({
      id: at + 1,
      type: 'timeseries',
      title: panelTitle,
      datasource: SOURCE,
      gridPos: { x: (at % COLUMNS) * WIDTH, y: Math.floor(at / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10 } }, overrides: [] },
      options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
      targets: Object.entries(expressions).map(([legendFormat, expr], index) => ({
        refId: String.fromCodePoint(65 + index),
        datasource: SOURCE,
        expr,
        legendFormat,
      })),
    })),
  };
}

if (process.argv[1] === import.meta.filename) {
  const directory = join(ROOT, 'deploy/grafana');
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(dashboardFiles())) writeFileSync(join(directory, name), text);
}
