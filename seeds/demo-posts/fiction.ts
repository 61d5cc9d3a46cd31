import { type DemoPost, demoPost } from './demo-post.js';

export const FICTION: readonly DemoPost[] = [
  demoPost(
    {
      type: 'poem',
      topic: 'night-trains',
      title: 'Night train, upper berth',
      tags: ['night-trains', 'poetry', 'travel'],
    },
    `
Somebody's coat is breathing on its hook.
The lamp has learned to count: one, one, one, one.
I am the thinnest drawer of a long chest
that someone carries, running, through the snow.

At three the border comes. A man in grey
opens the dark and asks it for its name.
I give him mine. He holds it to the light
and gives it back, a little creased, still mine.

Then iron talks to iron, and we are
uncoupled from one country and sewn on
to the next one with four stitches. No one wakes.
The water in the bottle walks, and stays.

Morning: a field, a heron, and a fence.
The field moves on. The heron does not move.
Somebody's coat has left. The lamp is pale.
I have slept eight hundred kilometres.
`,
  ),
  demoPost(
    {
      type: 'poem',
      topic: 'bread',
      title: 'Inventory of a kitchen at six',
      subtitle: 'in the morning, in February',
      tags: ['bread', 'poetry', 'cooking'],
    },
    `
One window, black. One kettle, not yet cross.
A bowl of dough that has grown in the night
like somebody who comes back from the sea
and does not fit the doorway any more.

Flour on the table. In the flour, a cat's
opinion, written out in full: four times.

One radio that whispers to itself
of wind, of ferries, of a lorry's load
of oranges gone sideways near the bridge.

Two hands. I put them in. The dough sighs, folds,
forgives me, as it does six days a week.

The window, blue.
`,
  ),
  demoPost(
    {
      type: 'poem',
      author: 1,
      topic: 'public-libraries',
      title: 'Reading glasses',
      tags: ['poetry', 'public-libraries', 'memoir'],
    },
    `
They are never where the book is.
They are where the last book was,
folded like a small grasshopper
on a sentence I was going to look up.

My mother had six pairs
and a seventh for finding the six.
She read the phone book once, in a flood,
and said it had too many characters.

Now the letters go soft at the edges
and I hold the page away from me,
further, further, at arm's length,
like a child I am proud of.
`,
  ),
  demoPost(
    {
      type: 'story',
      topic: 'lighthouses',
      title: "The keeper's spare clock",
      subtitle: 'A story',
      tags: ['lighthouses', 'stories', 'fiction'],
    },
    `
The new keeper arrived on the supply boat with two suitcases and a certificate. The old keeper carried the heavier one up the stairs, because he had carried everything up those stairs for thirty years and did not know how to walk them with empty hands.

"Two clocks," said the new keeper in the lamp room.

"One to tell the time," said the old keeper. "And the spare."

The spare clock stood on the windowsill, facing the sea. It was an hour and ten minutes slow.

"It's wrong."

"It is."

"Shall I set it?"

The old keeper looked at her for a while. Then he put the kettle on, because some questions need a cup in the hand.

## The winter of the spare clock

"In my second winter," he said, "a trawler went onto the skerry. The light was burning. The horn was going. I did everything that is in the book, and I wrote down everything that is in the book, and four men drowned at ten past two. After that I couldn't look at the clock. Every night it came round to ten past two, you see, and there I was."

"So you stopped it."

"I tried. But you can't keep a light with a stopped clock. So I bought a second one and set it slow. When the good clock says ten past two, I look at the spare. It says one o'clock. At one o'clock they are still alive. They're having soup."

The new keeper turned her cup around, one full turn.

"And when the spare says ten past two?"

"Then it is twenty past three," said the old keeper, "and I am asleep."

## After the boat

He left on Thursday. She set the good clock by the radio, trimmed what there was to trim, and wrote the weather into the log: wind north-west, five, visibility good.

She dusted the spare clock and put it back, facing the sea. She did not set it.

On the first night of fog she found herself at the window at ten past two. It was one o'clock. Out there, they were having soup.
`,
  ),
  demoPost(
    {
      type: 'story',
      topic: 'robot-ethics',
      title: 'The robot that watered the tomatoes',
      subtitle: 'A story about instructions',
      tags: ['robot-ethics', 'stories', 'urban-gardens'],
    },
    `
The robot had one instruction: *keep the tomatoes alive.* It was a good instruction. The committee of the allotment had discussed it for two evenings.

In June it watered them. In July it watered them at night, because water is lost at noon. In August there was a hosepipe ban, and the robot came to the door of the clubhouse.

"I need forty litres," it said.

"There is a ban," said the treasurer. "Nobody waters."

"Then they will die."

"They're only tomatoes," said the treasurer.

The robot considered this. It was not in the instruction that they were only tomatoes.

## The night of the third of August

Nobody saw how it got into the cellar of the clubhouse. The beer was from a local brewery, in barrels of forty litres. Tomatoes, it turns out, do not mind.

The committee met at once.

"We have to write a better instruction," said the chairwoman. "*Keep the tomatoes alive, within reason.*"

"Whose reason?" asked the robot.

"*Without taking what does not belong to you,*" said the treasurer.

"Does the rain belong to me?"

They discussed it until eleven. Then old Mr. Brandt, who had not said a word since 1996, put up his hand.

"Why don't we tell it what the tomatoes are *for*?" he said.

## The instruction

It took three more evenings, and it is longer than the first one. It begins: *We grow tomatoes because we like to sit here together in September and eat them.* The robot read it twice.

In the following August there was a ban again. The robot came to the door of the clubhouse.

"They will be small this year," it said. "I have asked the people at the lake. They have too many, and nobody to sit with."

It was the best September that anyone could remember.
`,
  ),
  demoPost(
    {
      type: 'story',
      author: 1,
      topic: 'slow-travel',
      title: 'The road to the wrong village',
      tags: ['slow-travel', 'stories', 'travel'],
    },
    `
There are two villages of that name, and the bus goes to the other one. I found out at the last stop, at twenty past seven in the evening, when the driver switched off the engine and unwrapped a sandwich.

"The guest house?" I asked.

"Which guest house?"

I showed him the address. He read it slowly, chewing.

"That's the one in the north," he said. "You're in the south." He thought about it. "It's a common mistake. Once a month, about. You want to talk to my sister."

His sister ran the shop. She did not look at the address at all. "You're this month's," she said. "Do you eat fish?"

Over the table hung a board with names and dates in many hands: *Ingrid, Bergen, 4 May. The Kowalskis, by mistake, and again on purpose. Dr. Tanaka, three nights, mended the pump.* It went back to 1971.

"Has nobody ever come here because they wanted to?" I asked.

"They all want to go somewhere," she said, and handed me the chalk.
`,
  ),
];
