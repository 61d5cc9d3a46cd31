import { escapeHtml } from './chart.js';

export type Bar = { label: string; parts: number[]; isOurs: boolean };

const LABEL_WIDTH = 240;
const BAR_WIDTH = 480;
const ROW_HEIGHT = 26;

/** Draws horizontal stacked bars as inline SVG. The longest fills the width. */
export function barChart(bars: Bar[], unit: string): string {
  const longest = Math.max(...bars.map((bar) => sum(bar.parts)), 1e-9);
  const height = bars.length * ROW_HEIGHT + 4;
  const rows = bars.map((bar, index) => {
    const y = index * ROW_HEIGHT + 4;
    let x = LABEL_WIDTH;
    const pieces = bar.parts.map((part, piece) => {
      const width = (part / longest) * BAR_WIDTH;
      const rect = `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="18" class="${bar.isOurs ? 'ours' : 'other'} part${piece}"/>`;
      x += width;
      return rect;
    });
    const total = sum(bar.parts).toLocaleString('en', { maximumFractionDigits: sum(bar.parts) < 10 ? 2 : 0 });
    return (
      `<text x="${LABEL_WIDTH - 8}" y="${y + 14}" text-anchor="end">${escapeHtml(bar.label)}</text>${pieces.join('')}` +
      `<text x="${(x + 6).toFixed(1)}" y="${y + 14}">${total} ${escapeHtml(unit)}</text>`
    );
  });
  const width = LABEL_WIDTH + BAR_WIDTH + 130;
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">${rows.join('')}</svg>`;
}

function sum(parts: number[]): number {
  return parts.reduce((total, part) => total + part, 0);
}
