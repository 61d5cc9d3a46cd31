import { render } from 'preact';
import { TextsContext } from './components/context.js';
import { FRAMES } from './frames.js';
import { loadTexts } from './texts/browser.js';
import { showAccountMenu } from './viewer/account-menu.js';

const frame = document.getElementById('frame');
const load = FRAMES[`/${location.pathname.split('/')[1]}`];
if (frame !== null && load !== undefined) {
  // Another link of a mail may differ only in its token. The link that skips to the content has none.
  addEventListener('hashchange', () => location.hash.includes('=') && location.reload());
  // The frame around it is in the language of the site.
  const [texts, Page] = await Promise.all([loadTexts(navigator.languages), load()]);
  frame.lang = texts.language;
  showAccountMenu(texts);
  render(
    <TextsContext.Provider value={texts}>
      <Page />
    </TextsContext.Provider>,
    frame,
  );
}
