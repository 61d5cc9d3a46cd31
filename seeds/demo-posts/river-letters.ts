import { type DemoPost, demoPost } from './demo-post.js';

const letter = (title: string, subtitle: string, markdown: string): DemoPost =>
  demoPost(
    {
      type: 'written',
      topic: 'river-deltas',
      title,
      subtitle,
      tags: ['river-deltas', 'travel', 'essays'],
      series: 'letters',
    },
    markdown,
  );

/** A series of the demo writer. */
export const RIVER_LETTERS: readonly DemoPost[] = [
  letter(
    'Letters from a river, 1: The spring nobody found',
    'Where a river begins depends on whom you ask',
    `
The map shows the source as a blue dot below a farm. I went there on a wet Tuesday in March with a thermos and good boots, and found a meadow. No dot. The grass was soft in one place and softer in another, and a hundred metres further down there was, undeniably, a stream.

I knocked at the farm. The woman who opened the door had heard the question before.

"My husband says it is the pipe behind the barn," she said. "His brother says it is the marsh. The surveyor came in 1974, it had not rained for six weeks, and he wrote down the first water he stepped into."

## What I measured

I had a thermometer with me, because groundwater keeps the temperature of the year and rain does not.

- The pipe behind the barn: 8.4 degrees.
- The marsh: 5.1 degrees.
- The stream below both: 6.0 degrees.

So the river begins in two places at least, and the surveyor's dot is a compromise that nobody signed.

## A rule for the rest of the way

I mean to follow this river to the sea, a few days at a time, and write a letter from every place where I stop. The spring has taught me the rule for it: **ask three people, and then put your hand in the water.**
`,
  ),
  letter(
    'Letters from a river, 2: The mill',
    'A wheel that has not turned since 1958',
    `
Eleven kilometres below the farm the valley narrows, and somebody noticed this about eight hundred years ago. The mill is first mentioned in a tax roll of 1231. It paid in eels.

The wheel is still there. The current owner, a retired dentist, oils it twice a year and has never let it turn. "The bearings would hold," he says. "The neighbours would not. They have got used to the quiet."

## How much a mill can do

He showed me his arithmetic, pencilled on the wall of the grinding room. The power of falling water is

$$
P = \\rho \\, g \\, Q \\, h
$$

With half a cubic metre per second and a fall of three metres that makes nearly fifteen kilowatts. A good wheel keeps two thirds of it. Ten kilowatts is not much: five kettles. It is also all the power that this valley had for seven centuries.

## What the eels did

They stopped coming when the third weir was built downstream. There is a fish ladder now, paid for by four villages and a lottery. Last autumn a volunteer with a lamp counted nine eels in one night. She has written the number above the arithmetic, and underlined it twice.
`,
  ),
  letter(
    'Letters from a river, 3: Two bridges',
    'One is famous and one is crossed',
    `
There are two bridges in the next town. The old one has seven arches, a saint, and a page in every guidebook. The new one has a bus lane.

I sat between them for a day, with a sandwich and a tally sheet.

| hour | old bridge | new bridge |
| --- | ---: | ---: |
| 8 to 9 | 61 | 1204 |
| 12 to 13 | 388 | 702 |
| 17 to 18 | 240 | 1377 |

On the old bridge people walk slowly and stop in the middle. On the new one they do neither. But twice I saw a cyclist on the new bridge stop, lean the bicycle against the rail, and look at the old one. You cannot see the old bridge from the old bridge.

> A bridge is the only building whose purpose is to be left.

The saint holds a book and looks upstream. A schoolboy told me that he turns around at night, to see whether the water has come back.
`,
  ),
  letter(
    'Letters from a river, 4: The town that turned its back',
    'And is slowly turning around again',
    `
For a hundred years this town used the river as one uses a back stairs. Tanneries stood here, then a gasworks, then a car park of four storeys. The houses along the bank have their kitchens to the street and their bathrooms to the water.

The river was brown, then orange, then, for one summer in the seventies, blue with the dye of a jeans factory. People moved their chairs to the other side of the room.

## What turned them around

Not a plan. A rowing club of fourteen-year-olds complained about the smell, in a letter to the newspaper, with spelling mistakes and a hand-drawn graph. The graph had no units. It was printed on the front page.

Twenty years later there are steps down to the water, where the car park used to be. In the evening the whole town seems to sit on them. Nobody does anything. An old man next to me said that it had taken him a week to learn how to look at moving water, and that he was now rather good at it.

## For the list

1. The smell was gone before the steps were built.
2. The steps were cheaper than the repair of the car park would have been.
3. The girl who drew the graph is an engineer of the water board now. She uses units.
`,
  ),
  letter(
    'Letters from a river, 5: Salt',
    'The last letter, from the place where the river stops being one',
    `
The last ferry goes from bank to bank on a rope. The ferryman dips a finger into the water in the middle of the crossing, tastes it, and says "thirty" or "forty". I thought that it was a performance for visitors until I saw the conductivity meter in his cabin. He is seldom off by more than five.

Salt comes up the river like a rumour: along the bottom first, where no one notices. After a dry summer it reaches the intake of the waterworks, forty kilometres inland. Then the town of the steps drinks from its wells, and the dentist's mill has hardly enough water to float a leaf.

## Where does it end?

I asked three people, as I had promised.

- The pilot says that the river ends at the buoy, because there his insurance ends.
- A biologist says that it ends where the last freshwater snail turns back, which is a different place every week.
- A child on the beach had drawn a line in the sand with a stick. "Here," she said.

I put my hand in the water. It was cold and tasted of both.

So the river has at least two beginnings and at least three ends. What lies between has been the best company I could have wished for. Thank you for reading along.
`,
  ),
];
