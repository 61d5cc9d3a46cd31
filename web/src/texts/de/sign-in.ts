import type { signIn as en } from '../en/sign-in.js';

export const signIn: typeof en = {
  title: 'Anmelden',
  or: 'oder',
  passkey: 'Passkey verwenden',
  noPasskey: 'Es wurde kein Passkey verwendet. Versuche es noch einmal, oder melde dich anders an.',
  continueWith: (provider) => `Weiter mit ${provider}`,
  noAccount: 'Noch kein Konto?',
  register: 'Registrieren',
  hasAccount: 'Du hast ein Konto?',
  refused: {
    access_denied: 'Du hast die Anmeldung beim anderen Dienst abgebrochen.',
    provider_unavailable: 'Der andere Dienst antwortet nicht. Versuche es später noch einmal.',
    email_not_verified: 'Der andere Dienst hat deine E-Mail-Adresse nicht bestätigt.',
    email_taken:
      'Ein Konto hat deine E-Mail-Adresse. Melde dich dort an, und verbinde den anderen Dienst in den Einstellungen.',
    mail_domain_refused: 'Diese Site nimmt keine neuen Konten mit einer E-Mail-Adresse dieser Domain an.',
    registration_closed: 'Diese Site nimmt keine neuen Konten an.',
    invalid_invite: 'Ein neues Konto braucht eine gültige Einladung: öffne den Link deiner Einladung.',
    rate_limited: 'In deinem Netz wurden zu viele Konten angelegt. Versuche es in einer Stunde noch einmal.',
    approval_pending: 'Ein Moderator entscheidet über dein neues Konto. Du bekommst eine Mail mit der Entscheidung.',
    invalid_response: 'Die Anmeldung begann nicht in diesem Tab, oder dauerte zu lange. Versuche es noch einmal.',
  },
  connect: (provider) => `${provider} verbinden`,
  connectHint: 'Danach kannst du dich mit deinem Konto bei diesem Dienst anmelden.',
  back: 'Zurück',
  registration: {
    title: 'Konto anlegen',
    action: 'Konto anlegen',
    fullName: 'Name',
    username: 'Benutzername',
    usernameHint: '4 bis 16 Zeichen: a-z, 0-9 und _. Teil der Adresse deines Profils.',
    emailHint: 'Andere sehen sie nicht. Du bekommst eine Mail, um sie zu bestätigen.',
    invite: 'Code deiner Einladung',
    reason: 'Warum möchtest du mitmachen?',
    reasonHint: 'Ein Moderator liest das. Du kannst es leer lassen.',
    modes: {
      open: '',
      invite: 'Neue Konten brauchen die Einladung eines Mitglieds.',
      approval: 'Ein Moderator entscheidet über neue Konten, außer du hast eine Einladung.',
      closed: 'Diese Site nimmt keine neuen Konten an.',
    },
    done: (email) => `Dein Konto ist angelegt. Öffne den Link der Mail an ${email}, um deine Adresse zu bestätigen.`,
    pending: (email) =>
      `Ein Moderator entscheidet über dein Konto. Du bekommst eine Mail an ${email} und kannst dich dann anmelden.`,
    go: 'Weiter',
  },
};
