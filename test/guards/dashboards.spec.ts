import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDashboards, metricsOf, panelExpressions } from '../support/dashboards.js';
import { ROOT } from '../support/spawned-host.js';

const DIRECTORY = join(ROOT, 'deploy/grafana');

describe('the dashboards of Grafana', () => {
  it('are those of scripts/dashboards.mjs', async () => {
    const files = (await loadDashboards()).dashboardFiles();

    expect(readdirSync(DIRECTORY).sort()).toEqual(Object.keys(files).sort());
    for (const [name, text] of Object.entries(files))
      expect([name, readFileSync(join(DIRECTORY, name), 'utf8')]).toEqual([name, text]);
  });

  it('use metrics that the guide describes', async () => {
    const described = readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8').match(/opencanvas_\w+/g)!;
    const used = (await panelExpressions()).flatMap(({ expression }) => metricsOf(expression));

    expect(used.length).toBeGreaterThan(50);
    expect(used.filter((name) => !described.includes(name))).toEqual([]);
  });
});
