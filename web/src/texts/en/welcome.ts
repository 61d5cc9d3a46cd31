/** Texts of the first run, and of the settings of the site. */
export const welcome = {
  title: 'Welcome',
  introduction: 'Name your site, choose who may register, and create the account of its administrator.',
  code: 'Setup code',
  codeHint: 'The server printed it at its start.',
  settings: 'Settings of the site',
  siteName: 'Name of the site',
  registration: 'Who may register',
  modes: {
    open: 'Everybody',
    invite: 'People with an invite',
    approval: 'Everybody, after a moderator agrees',
    closed: 'No new accounts',
  },
  admin: 'Administrator',
  action: 'Create the site',
  doneLink: 'Go to the home page',
  signIn: 'The site is set up already.',
};
