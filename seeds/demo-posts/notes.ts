import { type DemoPost, demoPost } from './demo-post.js';

/** Notes, and chapters of a book. */
export const NOTES: readonly DemoPost[] = [
  demoPost(
    {
      type: 'book',
      topic: 'essay-writing',
      title: 'A small book of sentences, chapter 1: The comma',
      subtitle: 'In which we stop for breath',
      tags: ['essay-writing', 'writing', 'teaching'],
    },
    `
The comma is the smallest tool in the box and the only one that everybody has cut a finger on.

Reading aloud is the oldest test. In the library of a monastery a sentence was read by one person to forty, and the marks on the page told him where to breathe. Much of what we call grammar began as advice for the lungs.

## Three commas that matter

1. The comma of the list: *bread, butter, salt.* It replaces a word, nearly always "and". If you can say "and", you may write a comma.
2. The comma of the aside: *my sister, who lives in Turin, is a dentist.* Asides need two, like brackets. A single one is a door that was left open.
3. The comma of mercy: *Let's eat, Grandma.* It exists so that nobody is eaten.

## One comma that does not

Between a subject and its verb there is no comma, however long the subject has become and however badly you need air. If you need air there, the sentence is too long. Cut it.

## Exercise

Take a page that you wrote last year. Remove every comma. Put back only those without which a friend would laugh at the wrong place. Count both.
`,
  ),
  demoPost(
    {
      type: 'book',
      topic: 'essay-writing',
      title: 'A small book of sentences, chapter 2: The full stop',
      subtitle: 'In which we stop',
      tags: ['essay-writing', 'writing', 'teaching'],
    },
    `
A full stop is a decision. Until it comes, the sentence may still turn around, apologize, or bring a cousin. After it, the sentence has said what it said.

Young writers are afraid of it. They hang one clause on the next with *and*, *which* and *whereby*, because as long as one is still talking nobody can object. The reader, meanwhile, is holding the first clause in one hand and the second in the other, and here comes a third.

## How long is too long?

Nobody knows. But you can measure what you do:

| text | words per sentence |
| --- | ---: |
| a recipe | 9 |
| a good newspaper | 19 |
| an insurance policy | 38 |

It is not the mean that matters. A page of sentences of the same length is a fence. Short. Then a longer one that takes its time and looks about it before it sits down. Then, perhaps, short again.

## The last one

The best full stop of a text is the one before the sentence that you added to explain the ending. Find that sentence. You know which one it is.
`,
  ),
  demoPost(
    {
      type: 'written',
      topic: 'bread',
      title: 'Three things sourdough has taught me',
      tags: ['bread', 'cooking', 'notes'],
    },
    `
**It does not know what day it is.** The recipe says twelve hours. The dough says: when I have doubled. In January this is tomorrow, in July it is while you are still looking for the bowl.

**Most of the work is leaving it alone.** Of the thirty hours between flour and bread I am needed for about twenty minutes. The rest is a lesson in not opening the oven.

**You can give half of it away every day and still have all of it.** I know of nothing else for which this is true, apart from the obvious things.
`,
  ),
  demoPost(
    {
      type: 'written',
      topic: 'slow-travel',
      title: 'What I keep in the front pocket of my bag',
      tags: ['slow-travel', 'travel', 'notes'],
    },
    `
- A pencil. It writes in the rain and upside down, and nobody borrows it.
- The address of where I sleep, in the letters of the country. A taxi driver cannot read my pronunciation.
- One spoon.
- Two metres of string. I have used it as a clothes line, a belt, a leash, and once, in a guest house near Kutaisi, as the missing half of a door.
- A photograph of my street. Everyone shows you their family sooner or later, and it is good to have something to show.
- A coin from the last country. It is of no use at all until somebody's child collects them.
`,
  ),
  demoPost(
    {
      type: 'written',
      author: 1,
      topic: 'public-libraries',
      title: 'Nine books I have read twice',
      subtitle: 'And why I opened them again',
      tags: ['public-libraries', 'essays', 'notes'],
    },
    `
1. **Middlemarch.** At twenty I thought that it was about Dorothea. At forty it turned out to be about everyone else.
2. **The Periodic Table**, Primo Levi. For the chapter on carbon, which can be read in ten minutes and takes a year.
3. **The Summer Book**, Tove Jansson. An island, a grandmother, no plot. I read it whenever there is too much plot.
4. **Invisible Cities**, Italo Calvino. Because I never remember which city was which.
5. **The Left Hand of Darkness**, Ursula K. Le Guin. The second time for the walk across the ice.
6. **Austerlitz**, W. G. Sebald. To find out how he does it. I still do not know.
7. **The Makioka Sisters**, Junichiro Tanizaki. Slow as a garden, and then the last sentence.
8. **Their Eyes Were Watching God**, Zora Neale Hurston. Aloud.
9. **My old school atlas.** Half of the countries are gone. The rivers are all still there.
`,
  ),
  demoPost(
    {
      type: 'written',
      author: 2,
      topic: 'essay-writing',
      title: 'How to disagree in a comment',
      subtitle: 'Notes from a moderator',
      tags: ['essay-writing', 'philosophy', 'notes'],
    },
    `
I read reports all day. Almost none of them are about opinions. They are about the second sentence, the one after "I disagree".

- **Say what you agree with first**, if there is anything. It is not politeness. It shows where exactly the road forks.
- **Quote the sentence that you mean.** Half of all quarrels are with a sentence that nobody wrote.
- **Write "this text" and not "you".** A text can be mistaken without having a character.
- **Ask one real question.** A real question is one whose answer could change your mind.
- **Wait ten minutes.** If it still has to be said, it will still be there.

And when somebody has convinced you, say so in public. It happens here about once a week, and every time it makes my day.
`,
  ),
  demoPost(
    {
      type: 'written',
      author: 3,
      topic: 'public-libraries',
      title: 'Welcome, and how this place works',
      subtitle: 'Read this first',
      tags: ['essays', 'writing', 'notes'],
    },
    `
This is a place for texts that took some time. Six kinds have found a home here: articles, papers, poems, stories, books and notes.

## Reading

The front page shows what people liked lately. *Latest* shows everything. Follow a few writers and you get a page of your own.

## Writing

Text is written in Markdown, with tables, formulas and code:

$$
e^{i \\pi} + 1 = 0
$$

Drafts are saved while you type, and only you can see them. When you publish, give it two or three tags: that is how strangers find it.

## Being good company

1. Vote for what is well made, including what you disagree with.
2. Comment on the text and not on the person.
3. Report what breaks the rules. A human being will read it.

The posts of the demo accounts were written by hand. The others were put together by a program, from a vocabulary, so that there is something to scroll through. You will soon notice which are which.
`,
  ),
];
