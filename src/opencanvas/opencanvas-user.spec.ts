import { toProfileChanges } from './opencanvas-user.js';

describe('toProfileChanges', () => {
  it('keeps interests as tags, each once, without the word for none', () => {
    const interestedIn = ['any', 'Machine Learning', 'machine_learning', 'C++', '!'];
    expect(toProfileChanges({ interestedIn }).interests).toEqual(['machine-learning', 'c']);
  });

  it.each([
    ['', null],
    ['/defaults/profile.jpeg', null],
    ['https://images.example.org/a.jpg', 'https://images.example.org/a.jpg'],
    [undefined, undefined],
  ])('takes the image %j for %j', (profilePicture, expected) => {
    expect(toProfileChanges({ profilePicture }).profilePicture).toBe(expected);
  });

  it('takes the known notifications that are switched on or off', () => {
    const notifications = { emailNotification: false, smokeNotification: true, pushNotification: 'yes' };
    expect(toProfileChanges({ notifications }).settings).toEqual({ notifications: { email: false } });
  });

  it('leaves absent fields unchanged', () => {
    const changes = Object.values(toProfileChanges({}));
    expect(changes.filter((value) => value !== undefined)).toEqual([]);
  });
});
