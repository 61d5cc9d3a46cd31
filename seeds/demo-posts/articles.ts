import { type DemoPost, demoPost } from './demo-post.js';

export const ARTICLES: readonly DemoPost[] = [
  demoPost(
    {
      type: 'article',
      topic: 'urban-gardens',
      title: 'The roof garden in its third year',
      subtitle: 'What grew, what blew away, and what the neighbours say',
      tags: ['urban-gardens', 'cities', 'ecology'],
    },
    `
Three years ago we carried forty sacks of soil up five flights of stairs. This is the report that I promised everyone who helped.

## What grew

| plant | first year | second year | third year |
| --- | ---: | ---: | ---: |
| tomatoes, kg | 4 | 11 | 19 |
| beans, kg | 2 | 3 | 3 |
| lettuce, heads | 30 | 12 | 41 |
| complaints | 5 | 2 | 0 |

The lettuce of the second year went to the slugs. None of us understands how they got up here. The theory with the most votes is that they came with the sacks, waited, and read the seed catalogue.

## What blew away

- Two parasols.
- The first compost lid. The second one has a stone on it.
- Our conviction that a roof is a garden with a better view. It is a beach: sun, wind, and nothing to hold the water.

## What I would do differently

Begin with the wind. A hedge of willow, waist-high, did more for the tomatoes than all the fertilizer. And put the water butt *above* the beds: gravity is the only volunteer who never goes on holiday.

## What the neighbours say

Mrs. Okafor on the fourth floor, who wrote four of the first five complaints, has her own bed now. She grows only flowers. "You people eat everything," she says.
`,
  ),
  demoPost(
    {
      type: 'article',
      topic: 'mountain-weather',
      title: 'How to read a weather map in ten minutes',
      series: 'explained',
      subtitle: 'Four kinds of line, and what they do to your weekend',
      tags: ['mountain-weather', 'physics', 'travel'],
    },
    `
A weather map looks like the fingerprint of somebody very large. Ten minutes are enough to read it well enough for a walk.

## The thin lines

Lines of equal pressure. The wind blows almost along them, and the closer they are the harder it blows. North of the equator, low pressure is on your left when the wind is at your back.

## The blue triangles

A cold front: cold air pushes under warm air like a shovel. Expect an hour of heavy rain, a drop of five degrees, and a clear sky behind it. If you see the towers coming, be below the tree line.

## The red half circles

A warm front: warm air slides up over cold air. It announces itself a day early with a halo around the sun. The rain is gentle and does not stop for lunch.

## The purple line

Where the cold front has caught up with the warm one. Do the museum.

## Putting it together

1. Find yourself on the map.
2. Look to the west: tomorrow's weather is there in most of Europe and North America.
3. Count the lines between you and the sea.
4. Compare with the map of six hours ago. Whatever moved will probably go on moving.

The last step is worth more than the other three. A single map is a photograph. Two maps are a film.
`,
  ),
  demoPost(
    {
      type: 'article',
      topic: 'database-indexes',
      title: 'Index your questions before you index your tables',
      series: 'explained',
      subtitle: 'A short case from a library with 40 branches',
      tags: ['database-indexes', 'software', 'public-libraries'],
    },
    `
A friend runs the catalogue of a library with forty branches. It had thirty-one indexes, and it was slow. We removed twenty-two of them, and it was fast. Here is what happened in between.

## Write the questions down

Not the tables: the questions. There were six, and one of them made up ninety percent of the traffic:

> Which copies of this title are on a shelf right now, nearest branch first?

It looked like this:

'''sql
SELECT copy.id, branch.name
FROM copy
JOIN branch ON branch.id = copy.branch_id
WHERE copy.title_id = 4711 AND copy.status = 'shelf'
ORDER BY branch.distance
LIMIT 5;
'''

## One index for one question

An index is a sorted list. It helps if the rows that you want are *neighbours* in it. For this question the neighbours are copies of one title with one status:

'''sql
CREATE INDEX copy_by_title ON copy (title_id, status) INCLUDE (branch_id);
'''

Equality first, ranges later, and the columns that are only read at the very end.

## What the other indexes had cost

Every loan changes one row of the table and had changed thirty-one sorted lists. At nine in the morning, when the book drop is emptied, the database did little else.

## The rule we hung on the wall

- An index without a question is a tax.
- A question without an index is a queue.
- Measure both before Friday.
`,
  ),
  demoPost(
    {
      type: 'article',
      topic: 'jazz',
      title: "A beginner's guide to listening to jazz",
      subtitle: 'Seven evenings, one record each',
      tags: ['jazz', 'music', 'history'],
    },
    `
You do not need to know anything. You need one evening a week, a chair, and nothing else to do for forty minutes.

1. **Louis Armstrong, the Hot Five recordings.** Listen to how the trumpet talks *before* it sings. It is 1927, and this man is inventing the solo.
2. **Duke Ellington, the 1940 band.** Do not follow the melody. Follow one player, for instance Johnny Hodges, and notice that Ellington wrote the part for him and for nobody else.
3. **Charlie Parker, the Savoy sessions.** It is too fast. It was too fast then, too. Let it pass like a landscape from a train.
4. **Mary Lou Williams, Zodiac Suite.** Twelve portraits of friends. Guess who was difficult.
5. **Miles Davis, Kind of Blue.** The record that everyone names, for once deservedly. Count how often nobody plays.
6. **John Coltrane, A Love Supreme.** The last movement is a poem that he recites with the saxophone, syllable by syllable. The text is in the sleeve: read along.
7. **Something played in your town this week.** All of the above is about people in a room who listen to each other. Go and be one of them.

## What to listen for

Choose the bass for one whole piece. It is the hardest thing to hear and the easiest to feel, and once you have found it you will not be able to lose it again.
`,
  ),
  demoPost(
    {
      type: 'article',
      topic: 'dark-matter',
      title: 'How far away is that galaxy?',
      series: 'explained',
      subtitle: 'Five rungs of the ladder that astronomers climb',
      tags: ['dark-matter', 'astronomy', 'mathematics'],
    },
    `
Nobody has ever held a tape measure to a galaxy. Distances in the universe are measured by a ladder in which every rung stands on the one below.

## First rung: radar

We know how long a radio pulse takes to Venus and back. This gives the distance from the Earth to the Sun, about 150 million kilometres.

## Second rung: parallax

Hold up a finger and close one eye, then the other. The finger jumps. A near star jumps, too, when we look at it in January and in July. If the jump is $p$ seconds of arc, the distance in parsecs is simply

$$
d = \\frac{1}{p}
$$

## Third rung: stars that breathe

In 1912 Henrietta Leavitt published what she had noticed on photographic plates: stars of one kind, the Cepheids, grow bright and dim in a rhythm, and *the slower the rhythm, the brighter the star*. Measure the rhythm, and you know how bright it really is. Compare it with how bright it looks, and you know how far away it is.

## Fourth rung: exploding stars

A certain kind of supernova always reaches nearly the same brightness. It can be seen across half the universe.

## Fifth rung: redshift

The farther away a galaxy is, the faster it recedes: $v = H_0 d$. This rung leans on all the others, and the astronomers who climb it from below and from above do not quite meet. The difference is a few percent. Entire careers are spent in that gap.
`,
  ),
  demoPost(
    {
      type: 'article',
      author: 1,
      topic: 'public-libraries',
      title: 'In defence of the branch library',
      subtitle: 'Two rooms, one radiator, and everything that matters',
      tags: ['public-libraries', 'cities', 'policy'],
    },
    `
Our branch has two rooms. The council has found out that it could save a sum by closing it, and that the central library is "only twenty minutes away". I timed it, with my mother, who is eighty-one. It is fifty-five minutes, and there are stairs.

## Who was there on Thursday

- Nine children with one dictionary.
- A man who reads all the newspapers in the same order every day and then tells the librarian what she has missed.
- Two students who live in a flat with five others.
- A woman filling in a form, and another woman, a stranger, explaining question eleven.
- My mother, for whom the large-print shelf is the whole literature of the world.

## What it costs

Per visit, less than a cup of coffee. I asked for the numbers and the council sent them, in a table without units. A librarian explained it to me. That, too, is what she is for.

## What it is

The last place in our quarter where you may sit down, be warm, and owe nothing. Keep it open.
`,
  ),
  demoPost(
    {
      type: 'article',
      author: 3,
      topic: 'distributed-systems',
      title: 'A backup is a restore that you have tried',
      subtitle: 'The drill we run on the first Monday of the month',
      tags: ['distributed-systems', 'software', 'tools'],
    },
    `
For two years our backups ran every night, and every morning a mail said so. Then we needed one. The mail had been right: they had run. What they had written was a directory of empty files.

Since then we have a drill.

## The drill

1. Somebody who did *not* write the script takes an empty machine.
2. They get the newest backup, the documentation, and nothing else.
3. They restore, start the server, and sign in.
4. They write down every question that they had to ask. Each question becomes a line of the documentation.

## The check

Counting rows is a good start and a bad end. We compare what users would see:

'''bash
while read -r id; do
  curl -s "https://old.example.org/v1/posts/$id" > old.json
  curl -s "https://new.example.org/v1/posts/$id" > new.json
  cmp old.json new.json || echo "$id differs"
done < sample-of-posts.txt
'''

## What we found

- The first drill took nine hours. The latest took forty minutes.
- A key was stored only inside the thing that it unlocks.
- The clock of the empty machine was wrong, and nothing told us so.

None of it was in any mail.
`,
  ),
];
