import type { welcome as en } from '../en/welcome.js';

export const welcome: typeof en = {
  title: 'Willkommen',
  introduction: 'Benenne deine Website, wähle, wer sich registrieren darf, und lege das Konto der Administration an.',
  code: 'Einrichtungscode',
  codeHint: 'Der Server hat ihn beim Start ausgegeben.',
  settings: 'Einstellungen der Website',
  siteName: 'Name der Website',
  registration: 'Wer sich registrieren darf',
  modes: {
    open: 'Alle',
    invite: 'Wer eine Einladung hat',
    approval: 'Alle, nach Zustimmung der Moderation',
    closed: 'Keine neuen Konten',
  },
  admin: 'Administration',
  action: 'Website anlegen',
  doneLink: 'Zur Startseite',
  signIn: 'Die Website ist schon eingerichtet.',
};
