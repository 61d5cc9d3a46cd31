import { join } from 'node:path';
import { ROOT } from './spawned-host.js';

type Panel = [title: string, unit: string, expressions: Record<string, string>];
type Script = { DASHBOARDS: Record<string, Panel[]>; dashboardFiles: () => Record<string, string> };

/** The script that writes the dashboards of Grafana. */
export async function loadDashboards(): Promise<Script> {
  return (await import(join(ROOT, 'scripts/dashboards.mjs'))) as Script;
}

/** Returns the expressions of all panels, for all hosts. */
export async function panelExpressions(): Promise<{ panel: string; expression: string }[]> {
  const { DASHBOARDS } = await loadDashboards();
  return Object.entries(DASHBOARDS).flatMap(([dashboard, panels]) =>
    panels.flatMap(([title, , expressions]) =>
      Object.values(expressions).map((expression) => ({
        panel: `${dashboard}: ${title}`,
        expression: expression.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '10s'),
      })),
    ),
  );
}

/** Returns the names of the metrics of an expression, as Prometheus lists their types. */
export function metricsOf(expression: string): string[] {
  return (expression.match(/opencanvas_\w+/g) ?? []).map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
}
