/** Texts of `/sign-in` and `/register`. */
export const signIn = {
  title: 'Sign in',
  or: 'or',
  passkey: 'Use a passkey',
  noPasskey: 'No passkey was used. Try again, or sign in in another way.',
};
