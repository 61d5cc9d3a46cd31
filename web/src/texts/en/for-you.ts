/** Texts of `/for-you`. */
export const forYouPage = {
  empty: 'There are no posts for you yet.',
  off: 'These are the popular posts, because your feed is not personal.',
  settings: 'Change this in your settings',
  choose: 'What do you like to read?',
  chooseHint: 'Follow some tags. You can change this at any time.',
  show: 'Show posts',
  reasons: {
    followed_author: 'By a person you follow',
    liked_by_followed: 'A person you follow likes this',
    followed_tag: 'Has a tag you follow',
    related: 'Similar to a post you like',
    popular: 'Popular',
  },
  more: 'More like this',
  less: 'Less like this',
  given: { more: 'You will see more like this.', less: 'You will see less like this.' },
};
