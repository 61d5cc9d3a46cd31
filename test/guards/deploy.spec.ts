import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { backupCommand } from '../../src/cli/backup.command.js';
import { ENV_SCHEMA } from '../../src/config/env.schema.js';
import { describeWith } from '../support/optional.js';

const ROOT = join(import.meta.dirname, '../..');
const DEPLOY = join(ROOT, 'deploy');
const readDeployFile = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');

type Service = {
  image?: string;
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
};
const compose = parse(readDeployFile('docker/compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};

/** Settings of the server, by file. */
const settings: Record<string, Record<string, string>> = {
  Dockerfile: Object.fromEntries(
    [...readDeployFile('docker/Dockerfile').matchAll(/^(?:ENV)? +([A-Z_]+)=(\S+)/gm)].map(([, ...pair]) => pair),
  ),
  'compose.yaml': compose.services['host1']!.environment!,
  'settings.env': Object.fromEntries(
    readDeployFile('kubernetes/base/settings.env')
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  ),
  ...Object.fromEntries(
    ['opencanvas-api.service', 'opencanvas-backup.service'].map((unit) => [
      unit,
      Object.fromEntries(
        /^Environment=(.+)$/m
          .exec(readDeployFile(`systemd/${unit}`))![1]!
          .split(' ')
          .map((pair) => pair.split('=')),
      ),
    ]),
  ),
};

/** cases of `promtool test rules` */
const CASES = join(import.meta.dirname, 'alerts.promtool.yaml');

const OF_NODE = ['NODE_COMPILE_CACHE'];

describe('files of deployments', () => {
  it.each(Object.entries(settings))(
    '%s contains only settings that the server knows, with valid values',
    (_, given) => {
      expect(Object.keys(given)).not.toEqual([]);
      const unknown = Object.keys(given).filter((name) => !(name in ENV_SCHEMA.shape) && !OF_NODE.includes(name));
      expect(unknown).toEqual([]);
      // The operator sets these values: ${NAME:?}.
      const filled = Object.entries(given).map(([name, value]) => [
        name,
        value.replace(/\$\{[^}]+\}/g, 'x'.repeat(48)),
      ]);
      expect(ENV_SCHEMA.safeParse(Object.fromEntries(filled)).error?.issues).toBeUndefined();
    },
  );

  it('compose: images have a version, volumes and services exist, the host is healthy by the check of its image', () => {
    const services = Object.entries(compose.services);
    const images = services.flatMap(([, { image }]) => image ?? []);
    expect(images.filter((image) => !image.includes(':'))).toEqual([
      'opencanvas-api',
      'opencanvas-api',
      'opencanvas-api',
    ]);
    for (const [name, { volumes = [], depends_on = {} }] of services) {
      const named = volumes.map((volume) => volume.split(':')[0]!).filter((volume) => !volume.startsWith('.'));
      expect([name, named.filter((volume) => !(volume in compose.volumes))]).toEqual([name, []]);
      for (const [other, { condition }] of Object.entries(depends_on)) {
        expect(Object.keys(compose.services)).toContain(other);
        const isChecked = compose.services[other]!.healthcheck !== undefined || other.startsWith('host');
        expect([name, other, condition === 'service_healthy' ? isChecked : true]).toEqual([name, other, true]);
      }
    }
    expect(readDeployFile('docker/Dockerfile')).toMatch(/^HEALTHCHECK /m);
  });

  it('compose: two hosts share a Redis and a mail server that are services of it', () => {
    const { host1, host2 } = compose.services;
    for (const { environment } of [host1!, host2!])
      for (const name of ['REDIS_URL', 'SMTP_URL'])
        expect(Object.keys(compose.services)).toContain(new URL(environment![name]!).hostname);
  });

  it('the image is built from files in its context', () => {
    const kept = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? line.slice(1) : []));
    const copied = [...readDeployFile('docker/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, names]) => names!.split(' '),
    );
    expect(copied.filter((name) => !kept.includes(name))).toEqual([]);
    const tracked = execFileSync('git', ['ls-files', '--', ...copied], { cwd: ROOT, encoding: 'utf8' });
    for (const name of copied) expect(tracked).toMatch(new RegExp(`^${name.replaceAll('.', '\\.')}(?:/|$)`, 'm'));
  });

  const metrics = (): Set<string> => {
    const source = execFileSync('git', ['grep', '-hoE', "name: 'opencanvas_[a-z_]+'", '--', 'src'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    return new Set(
      source
        .trim()
        .split('\n')
        .map((name) => name.slice("name: '".length, -1)),
    );
  };

  it('metrics are all described, and no others', () => {
    const described = readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8').match(/opencanvas_\w+/g);
    expect([...new Set(described)].sort()).toEqual([...metrics()].sort());
  });

  it('alerts use metrics that the server exports', () => {
    const asked = new Set(readDeployFile('prometheus/alerts.yaml').match(/opencanvas_\w+/g));
    const known = metrics();
    const unknown = [...asked].filter((name) => !known.has(name.replace(/_(?:bucket|sum|count)$/, '')));
    expect(asked.size).toBeGreaterThan(5);
    expect(unknown).toEqual([]);
  });

  it('alerts have a section each in the runbook, and no others', () => {
    const alerts = [...readDeployFile('prometheus/alerts.yaml').matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
    const sections = [...runbook.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(alerts);
  });
});

describeWith('hadolint', 'the Dockerfile', (hadolint) => {
  it('has no finding', () => {
    const { status, stdout } = spawnSync(hadolint, [join(DEPLOY, 'docker/Dockerfile')], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, '']);
  });
});

describeWith('promtool', 'the configuration of Prometheus', (promtool) => {
  it('is valid, its alerts too', () => {
    const config = join(DEPLOY, 'prometheus/prometheus.yml');
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'config', config], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
  });

  it('has a case for each alert in which it fires, and one in which it does not', () => {
    type Case = { alertname: string; exp_alerts?: object[] };
    const { tests } = parse(readFileSync(CASES, 'utf8')) as { tests: { alert_rule_test: Case[] }[] };
    const cases = tests.flatMap((test) => test.alert_rule_test);
    const namesOf = (fires: boolean): string[] =>
      cases.filter(({ exp_alerts = [] }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname);
    const alerts = [...readDeployFile('prometheus/alerts.yaml').matchAll(/alert: (\w+)/g)].map(([, name]) => name!);
    for (const fires of [true, false]) expect([...new Set(namesOf(fires))].sort()).toEqual([...alerts].sort());
  });

  it('alerts as its cases say', () => {
    const { status, stderr } = spawnSync(promtool, ['test', 'rules', CASES], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe('the backup of systemd', () => {
  it('calls a command that exists, and its timer starts it', () => {
    const [, ...args] = /^ExecStart=.*cli\.js (.+)$/m
      .exec(readDeployFile('systemd/opencanvas-backup.service'))![1]!
      .split(' ');
    const command = backupCommand().exitOverride();
    expect(command.parseOptions(args)).toMatchObject({ operands: [], unknown: [] });
    expect(command.opts()).toEqual({ out: '/var/lib/opencanvas-backup', keep: 14 });
    expect(readDeployFile('systemd/opencanvas-backup.service')).toMatch(/^StateDirectory=.*\bopencanvas-backup$/m);
    expect(readDeployFile('systemd/opencanvas-backup.timer')).toMatch(/^OnCalendar=/m);
  });
});

describeWith('systemd-analyze', 'a unit of systemd', (analyze) => {
  it.each(['opencanvas-api', 'opencanvas-backup'])('is valid, and confines its program: %s', (name) => {
    const unit = join(DEPLOY, `systemd/${name}.service`);
    const { status, stderr } = spawnSync(analyze, ['verify', unit], { encoding: 'utf8' });
    // The tool also checks that the program exists.
    const isOwn = (line: string): boolean => line !== '' && !line.includes('/usr/bin/node is not executable');
    expect(stderr.split('\n').filter(isOwn)).toEqual([]);
    expect([0, 1]).toContain(status);
    const exposure = spawnSync(analyze, ['security', '--offline=true', '--threshold=40', unit], { encoding: 'utf8' });
    expect([exposure.status, exposure.stdout.split('\n').at(-2)]).toEqual([0, expect.stringContaining('OK')]);
  });
});

describeWith('kubectl', 'the Kubernetes base', (kubectl) => {
  const built = (): string =>
    execFileSync(kubectl, ['kustomize', join(DEPLOY, 'kubernetes/base')], { encoding: 'utf8' });

  it('sends a pod no request before its search index is complete', () => {
    expect(built()).toMatch(/startupProbe:[^-]*path: \/health\/ready\?search=true/);
  });

  it('is built, and its parts find one another', () => {
    type Part = { kind: string; metadata: { name: string }; spec: Record<string, never> };
    const parts = parseAllDocuments(built()).map((document) => document.toJS() as Part);
    const files = readdirSync(join(DEPLOY, 'kubernetes/base')).filter(
      (name) => !/^(?:kustomization|settings)/.test(name),
    );
    expect(parts).toHaveLength(files.length + 1);
    const deployment = parts.find(({ kind }) => kind === 'Deployment') as unknown as {
      spec: { selector: { matchLabels: object }; template: { metadata: { labels: object } } };
    };
    expect(deployment.spec.template.metadata.labels).toMatchObject(deployment.spec.selector.matchLabels);
    const service = parts.find(({ kind }) => kind === 'Service') as unknown as { spec: { selector: object } };
    expect(service.spec.selector).toEqual(deployment.spec.selector.matchLabels);
    // An empty selector would match every pod of the namespace, including a Redis or a MongoDB.
    const selectorOf = (kind: string, field: string): unknown =>
      (parts.find((part) => part.kind === kind)!.spec as Record<string, unknown>)[field];
    const own = { matchLabels: { 'app.kubernetes.io/name': 'opencanvas-api' } };
    expect(selectorOf('NetworkPolicy', 'podSelector')).toEqual(own);
    expect(selectorOf('PodDisruptionBudget', 'selector')).toEqual(own);
    expect(deployment.spec.template.metadata.labels).toMatchObject(own.matchLabels);
  });

  describeWith('kubernetes-validate', 'by the schemas of Kubernetes', (validate) => {
    it('is valid, and a wrong type is found', () => {
      const directory = mkdtempSync(join(tmpdir(), 'opencanvas-kubernetes-'));
      try {
        const check = (text: string): number | null => {
          writeFileSync(join(directory, 'all.yaml'), text);
          return spawnSync(validate, ['--strict', join(directory, 'all.yaml')]).status;
        };
        expect(check(built())).toBe(0);
        expect(check(built().replace('replicas: 2', 'replicas: two'))).toBe(1);
      } finally {
        rmSync(directory, { recursive: true });
      }
    });
  });
});
