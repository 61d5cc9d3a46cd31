/** Texts of `/sign-in` and `/register`. */
export const signIn = {
  title: 'Sign in',
  or: 'or',
  passkey: 'Use a passkey',
  noPasskey: 'No passkey was used. Try again, or sign in in another way.',
  continueWith: (provider: string) => `Continue with ${provider}`,
  noAccount: 'No account yet?',
  register: 'Register',
  hasAccount: 'You have an account?',
  /** why a sign-in with a provider failed */
  refused: {
    access_denied: 'You stopped the sign-in at the other service.',
    provider_unavailable: 'The other service does not respond. Try again later.',
    email_not_verified: 'The other service has not verified your e-mail address.',
    email_taken: 'An account has your e-mail address. Sign in to it, and connect the other service in its settings.',
    mail_domain_refused: 'This site accepts no new accounts with an e-mail address of this domain.',
    registration_closed: 'This site accepts no new accounts.',
    invalid_invite: 'A new account needs a valid invite: open the link of yours.',
    rate_limited: 'Your network has created too many accounts. Try again in an hour.',
    approval_pending: 'A moderator decides about your new account. You get a mail with the decision.',
    /** all others, and a code that this tab did not request */
    invalid_response: 'The sign-in was not begun in this tab, or took too long. Try again.',
  },
  connect: (provider: string) => `Connect ${provider}`,
  connectHint: 'You can then sign in with your account of this service.',
  back: 'Back',
  registration: {
    title: 'Create an account',
    action: 'Create the account',
    fullName: 'Name',
    username: 'Username',
    usernameHint: '4 to 16 of a-z, 0-9 and _. Part of the address of your profile.',
    emailHint: 'Not shown to others. You get a mail to confirm it.',
    invite: 'Code of your invite',
    reason: 'Why do you want to join?',
    reasonHint: 'A moderator reads this. You can leave it empty.',
    modes: {
      open: '',
      invite: 'New accounts need an invite of a member.',
      approval: 'A moderator decides about new accounts, unless you have an invite.',
      closed: 'This site accepts no new accounts.',
    },
    done: (email: string) => `Your account exists. Open the link of the mail to ${email} to confirm your address.`,
    pending: (email: string) =>
      `A moderator decides about your account. You get a mail to ${email} with the decision, and can sign in then.`,
    go: 'Continue',
  },
};
