import type { siteStats as en } from '../en/site-stats.js';

export const siteStats: typeof en = {
  title: 'Statistik der Website',
  figures: {
    newAccounts: 'Neue Konten',
    activeAccounts: 'Aktive Konten',
    posts: 'Beiträge',
    comments: 'Kommentare',
    likes: 'Likes',
    reports: 'Meldungen',
    firstActionSeconds: 'Zeit bis zur Entscheidung',
    mails: 'E-Mails',
    storageBytes: 'Speicher',
  },
  plot: (names: string[]) => `Diagramm: ${names.join(', ')}. Die Tabelle hat die Zahlen.`,
  hourly: 'Jede Stunde gezählt. Die aktiven Konten einer Woche oder eines Monats sind die des stärksten Tages.',
};
