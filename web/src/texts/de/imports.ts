import type { imports as english } from '../en/imports.js';

export const imports: typeof english = {
  hint: 'Eine ZIP- oder andere Datei, die du aus einer anderen Plattform exportiert hast. Ihre Beiträge werden Entwürfe, mit Datum, Schlagwörtern und Bildern. Eine gleichzeitig, drei am Tag.',
  notTaken: 'Kommentare, Follower, Mitglieder und bezahlte Stufen werden nicht importiert.',
  empty: 'Du hast keine Importe.',
  choose: 'Archiv auswählen',
  address: 'Adresse eines Artikels oder eines Feeds',
  addressHint:
    'Dein eigener Text auf einer anderen Seite, oder der RSS- oder Atom-Feed deiner Seite. Nur was dort steht, wird importiert.',
  read: 'Adresse importieren',
  uploading: 'Wird hochgeladen …',
  archive: 'Archiv',
  formats: {
    ...{ 'own-export': 'Export eines Kontos', markdown: 'Markdown', 'dev.to': 'dev.to', ghost: 'Ghost' },
    ...{ medium: 'Medium', substack: 'Substack', wordpress: 'WordPress', feed: 'Feed', page: 'Seite' },
  },
  states: {
    storing: 'Wird gespeichert …',
    waiting: 'Wartet …',
    reading: 'Wird gelesen …',
    ready: 'Fertig',
    publishing: 'Wird veröffentlicht …',
    published: 'Veröffentlicht',
    failed: 'Gescheitert',
    deleted: 'Gelöscht',
  },
  failures: {
    unknown_format: 'Es hat kein Format, das diese Seite kennt.',
    invalid_archive: 'Das Archiv ist beschädigt oder entpackt zu groß.',
  },
  counts: ({ read, drafts, repeated, images, published }) =>
    `Gelesen: ${read} · Entwürfe: ${drafts} · früher importiert: ${repeated} · Bilder: ${images} · veröffentlicht: ${published}`,
  problems: (count, shown) => (count > shown ? `Probleme: ${count}, die ersten ${shown}` : `Probleme: ${count}`),
  drafts: 'Entwürfe',
  publish: 'Alle veröffentlichen',
  confirmPublish:
    'Alle Entwürfe dieses Imports, die schon öffentlich waren, mit ihrem Datum veröffentlichen? Deine Follower bekommen keine Mitteilung.',
  confirmRemove: 'Diesen Import und seine Entwürfe entfernen? Veröffentlichte Beiträge bleiben.',
};
