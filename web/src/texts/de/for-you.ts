import type { forYouPage as en } from '../en/for-you.js';

export const forYouPage: typeof en = {
  empty: 'Für dich gibt es noch keine Beiträge.',
  off: 'Dies sind die beliebten Beiträge, denn deine Auswahl ist nicht persönlich.',
  settings: 'In den Einstellungen ändern',
  choose: 'Was liest du gern?',
  chooseHint: 'Folge einigen Schlagwörtern. Du kannst das jederzeit ändern.',
  show: 'Beiträge zeigen',
  reasons: {
    followed_author: 'Von jemandem, dem du folgst',
    liked_by_followed: 'Gefällt jemandem, dem du folgst',
    followed_tag: 'Mit einem Schlagwort, dem du folgst',
    related: 'Ähnlich wie ein Beitrag, der dir gefällt',
    popular: 'Beliebt',
  },
  more: 'Mehr davon',
  less: 'Weniger davon',
  given: { more: 'Du wirst mehr davon sehen.', less: 'Du wirst weniger davon sehen.' },
};
