import type { PostType } from '../../src/posts/post-types.js';

const list = (text: string): string[] => text.split(' | ');

/** Halves of the long tail of tags. */
export const TAG_HEADS = list(
  'applied | open | early | urban | rural | coastal | digital | computational | comparative | northern | southern | practical | historical | experimental | community | modern | ancient | marine | alpine | visual | critical | personal | radical | quiet | statistical | cognitive | social | tropical | polar | small-town',
);
/** Fields, which are tags, too. */
export const TAG_TAILS = list(
  'ecology | history | poetry | statistics | design | methods | notes | essays | biology | physics | craft | teaching | fiction | travel | cooking | policy | networks | software | medicine | music | geology | archives | photography | philosophy | economics | writing | data | tools | stories | climate | astronomy | chemistry | linguistics | memoir | theatre | cities | forests | oceans | robots | health',
);
/** Fields of a type of post. */
export const TYPE_FIELDS: Readonly<Record<PostType, readonly string[]>> = {
  'research-paper': ['methods', 'data', 'statistics'],
  article: ['essays'],
  poem: ['poetry'],
  story: ['stories', 'fiction'],
  book: ['teaching', 'writing'],
  written: ['notes'],
};
