import { render } from 'preact';
import { TextsContext } from './components/context.js';
import { FRAMES } from './frames.js';
import { showAccountMenu } from './viewer/account-menu.js';
import { textsOf } from './texts/index.js';

showAccountMenu();
const frame = document.getElementById('frame');
const load = FRAMES[`/${location.pathname.split('/')[1]}`];
if (frame !== null && load !== undefined) {
  // Another link of a mail may differ only in its token.
  addEventListener('hashchange', () => location.reload());
  const Page = await load();
  render(
    <TextsContext.Provider value={textsOf(document.documentElement.lang)}>
      <Page />
    </TextsContext.Provider>,
    frame,
  );
}
