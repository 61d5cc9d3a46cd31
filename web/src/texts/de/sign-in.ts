import type { Texts } from '../en.js';

export const signIn: Texts['signIn'] = {
  title: 'Anmelden',
  or: 'oder',
  passkey: 'Passkey verwenden',
  noPasskey: 'Es wurde kein Passkey verwendet. Versuche es noch einmal, oder melde dich anders an.',
};
