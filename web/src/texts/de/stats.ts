import type { stats as en } from '../en/stats.js';

export const stats: typeof en = {
  title: 'Statistik',
  by: 'Je',
  buckets: { day: 'Tag', week: 'Woche', month: 'Monat' },
  showPost: 'Beitrag zeigen',
  allPosts: 'Alle Beiträge',
  totals: 'Insgesamt',
  counters: {
    views: 'Aufrufe',
    reads: 'Gelesen',
    shares: 'Geteilt',
    likes: 'Likes',
    comments: 'Kommentare',
    follows: 'Follower',
  },
  course: 'Verlauf',
  readRatio: (share: string) => `${share} der Aufrufe wurden gelesen`,
  plot: (views: string, reads: string) =>
    `Diagramm: ${views} Aufrufe, ${reads} davon gelesen. Die Tabelle hat dieselben Zahlen.`,
  window: 'Was heute aufgerufen, gelesen und geteilt wird, erscheint morgen.',
  table: 'Tabelle',
  from: 'Ab',
  topPosts: 'Am meisten aufgerufen',
  post: 'Beitrag',
  statsOf: (title: string, views: string) => `${views} Aufrufe: Statistik von „${title}“`,
  referrers: 'Herkunft',
  host: 'Website',
  internal: 'diese Website',
  other: 'andere',
};
