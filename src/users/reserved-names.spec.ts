import { isReservedUsername, impersonatesOperator } from './reserved-names.js';

describe('reserved usernames', () => {
  it.each([
    'admin', 'adm1n', '4dmin', 'ad_min', 'adrnin', 'support_team', 'the_admin', 'opencanvas', '0pencanvas', 'opencanvas_hq',
    'myopencanvas', 'moderator', 'm0derat0r', 'feed', 'api_v1', 'r00t', 'no_reply', 'officia1', 'admin42', 'support1',
  ])('%s is one', (name) => expect(isReservedUsername(name)).toBe(true)); // prettier-ignore

  it.each(['badminton', 'feed22', 'feed_lover', 'ada_lovelace', 'topaz', 'canvas_open', 'supportive', 'tim_root', 'adminton', 'mina', 'opera'])(
    '%s is none',
    (name) => expect(isReservedUsername(name)).toBe(false),
  ); // prettier-ignore
});

describe('display names that speak for the house', () => {
  it.each([
    'Admin', 'ADMIN', '\u0430dmin', 'a\u200bdmin', 'a d m i n', 'Admin Ada', 'OpenCanvas', 'open canvas', 'Οpencanvas', 'OPΕΝСΑΝVΑЅ',
    'ＯｐｅｎＣａｎｖａｓ Team', '𝐚𝐝𝐦𝐢𝐧', 'ᴀᴅᴍɪɴ', 'Ådmìn', 'Deleted account', 'deleted-Account', 'Support', 'Support Team', 'M0derator', '@dmin',
    'Staff', 'Official',
  ])('%s is one', (name) => expect(impersonatesOperator(name)).toBe(true)); // prettier-ignore

  it.each([
    'Ada Lovelace', 'Joe Root', 'Jamie Staff', 'Badminton Club', 'Анна Ахматова', 'Адмирал', 'Μαρία', 'محمد', '李白', 'Nobody Special',
    'Canvas Opener', 'Admiral Ackbar', '🧵',
  ])('%s is none', (name) => expect(impersonatesOperator(name)).toBe(false)); // prettier-ignore
});
