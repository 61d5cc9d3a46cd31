import { culture, type Topic } from './topic.js';

export const LIFE: readonly Topic[] = [
  culture(
    'folk music',
    'music history stories archives',
    `
    things: fiddle; ballad; reel; session; accordion; dance tune; verse; wedding song; bow; drone string
    people: fiddler; collector; ballad singer; dance caller; instrument maker
    tools: tape recorder; tuning fork; notebook of tunes; wax cylinder; lump of rosin
    places: in the back room of the pub; at the summer school; on the ferry; in the barn; on the second wax cylinder
    measures: the tempo of a reel; verses per ballad; tunings; the number of variants; dancers per set
    acts: learning by ear; playing a tune three times; tuning the drone; collecting verses; sitting beside a better player
    troubles: a broken string; a lost verse; a loud bar; a wrong key; a closed pub
    facts: One ballad can have two hundred versions and no original; Tunes crossed the ocean in the hands of people who could not read them; A session has rules that no one writes down; The Hardanger fiddle has strings that are never bowed; Bartók carried a phonograph from village to village; A dance tune is learned in the feet`,
  ),
  culture(
    'jazz',
    'music history essays cities',
    `
    things: solo; trumpet; standard; rhythm section; record; rehearsal; brush; chorus; jam session; cymbal
    people: drummer; bassist; bandleader; record collector; club owner
    tools: metronome; record player; mute; fake book; pair of brushes
    places: at the late set; behind the piano; on the B side; in the bridge; in the basement club
    measures: beats per minute; bars per solo; takes; the swing ratio; seats at the bar
    acts: transcribing solos; leaving space; playing behind the beat; singing before playing; trading fours
    troubles: a sticky valve; a rushed tempo; a cold room; a missing bassist; a loud ice machine
    facts: The best-known solos were often second takes; Miles Davis asked his musicians to play what they did not know; Swing cannot be written down exactly; A jam session is a conversation with strict manners; Mary Lou Williams wrote for every great band of her time; Silence is a note`,
  ),
  culture(
    'ceramics',
    'craft chemistry history design',
    `
    things: bowl; glaze; kiln; teapot; shard; test tile; wheel; handle; crack; tea bowl
    people: potter; kiln master; apprentice; archaeologist; glaze chemist
    tools: wire; kiln; rib; bucket of slip; pyrometric cone
    places: in the kiln; at the wheel; on the drying rack; at the bottom of the bucket; in the ash pit
    measures: firing temperature; shrinkage; wall thickness; ash per firing; glaze recipes
    acts: wedging clay; firing overnight; centring; mixing glazes; throwing the same bowl twenty times
    troubles: a crack in the foot; a stuck lid; a damp shelf; crawling glaze; a cold spot
    facts: Clay remembers how it was handled; A cup shrinks by an eighth before it holds tea; Celadon is green because the kiln lacks air; Potters in Jōmon Japan fired pots sixteen thousand years ago; A shard outlasts a palace; The gold in a mended bowl hides nothing`,
  ),
  culture(
    'bread',
    'cooking craft history chemistry',
    `
    things: loaf/loaves; starter; crust; oven; rye loaf/rye loaves; flour sack; bannock; baguette; crumb; proofing basket
    people: baker; miller; night baker; grandmother; market seller
    tools: razor blade; kitchen scale; proofing basket; stone; thermometer
    places: in the night bakery; on the windowsill; at the mill; at the back of the oven; under a damp cloth
    measures: hydration; rising time; oven temperature; the price of flour; salt per kilo
    acts: feeding the starter; folding the dough; weighing water; waiting overnight; listening to the crust
    troubles: a cold kitchen; a flat loaf; weak flour; a forgotten pinch of salt; an impatient baker
    facts: Flour and water become leaven because they were never clean; Rye needs acid to hold its shape; A loaf sings when it cools; Salt slows the yeast and strengthens the dough; Bread was baked before fields were sown; Steam keeps the crust soft long enough to rise`,
  ),
  culture(
    'street food',
    'cooking cities travel stories',
    `
    things: dumpling; noodle stall; skewer; griddle; sauce; paper bag; tamale; flatbread; queue; plastic stool
    people: vendor; night cook; taxi driver; market inspector; regular
    tools: griddle; charcoal grill; steamer; ladle; paper plate
    places: at the night market; beside the bus depot; under the viaduct; on a plastic stool; at the corner of the fish market
    measures: minutes in the queue; the price of a bowl; oil temperature; bowls per hour; chillies per kilo
    acts: frying to order; eating standing up; following the taxi drivers; asking for the recipe; coming back at six
    troubles: rain; a tax inspector; burnt garlic; an empty gas bottle; a closed corner
    facts: A long queue of drivers is a good review; Singapore's hawkers have cooked one dish for a lifetime; Tempura came to Japan with Portuguese sailors; A stall with one dish has had time to learn it; Chillies reached Asia after Columbus; The best sauce has no name`,
  ),
  culture(
    'slow travel',
    'travel essays memoir maps',
    `
    things: footpath; hostel; map; ferry; rucksack; village; bicycle; border; detour; postcard
    people: walker; ferry captain; innkeeper; pilgrim; cyclist
    tools: paper map; second-hand bicycle; phrase book; tin cup; pair of boots
    places: on the old pilgrim road; at the ferry landing; in the third village; beyond the last bus stop; on the towpath
    measures: kilometres per day; words learned; nights under a roof; the weight of the bag; the price of soup
    acts: walking before breakfast; asking the way; missing the ferry on purpose; drawing maps; staying a second night
    troubles: a blister; a closed hostel; a wrong turn; a week of rain; a heavy bag
    facts: A person on foot crosses a country at the speed of stories; The Camino has been walked for a thousand years; A map shows what its maker wanted to find; The longest wait brings the best conversation; One bag is enough for a month; A day without a plan is also a day`,
  ),
  culture(
    'night trains',
    'travel cities history climate',
    `
    things: sleeping car; conductor; border; platform; timetable; couchette; dining car; whistle; ticket; station clock
    people: conductor; night traveller; border guard; engine driver; timetable planner
    tools: paper timetable; berth lamp; thermos; whistle; eye mask
    places: on the upper berth; at the border at three; on platform nine; in the dining car; between Vienna and Venice
    measures: minutes of delay; the price of a berth; kilometres per night; passengers per car; carbon per trip
    acts: making the bed; watching the stations pass; changing locomotives; sleeping through a border; buying bread at dawn
    troubles: a missed connection; a snorer; a broken heater; engineering work; a strike
    facts: A night train gives you an evening and a morning in two cities; The first sleeping cars in Europe ran in the 1870s; Trains change locomotives while passengers sleep; An upper berth is warmer and has the better window; A night journey saves a hotel and a flight; The border is a lamp in the corridor`,
  ),
  culture(
    'lighthouses',
    'history oceans maps stories',
    `
    things: lamp; lens; foghorn; keeper; spiral stair; logbook; shipwreck; reef; oil can; gallery/galleries
    people: keeper; lens maker; pilot; lifeboat crew; keeper's widow
    tools: brass lens; logbook; oil can; telescope; signal flag
    places: on the gallery; at the foot of the tower; on the skerry; in the lamp room; on the supply boat
    measures: the range of the light; nights of fog; steps to the lamp; litres of oil; ships per night
    acts: trimming wicks; winding the clockwork; polishing the lens; rowing to the supply boat; writing the log
    troubles: fog; a broken mantle; a late boat; ice on the glass; loneliness
    facts: Fresnel's lens made a small flame visible for thirty kilometres; Each light has its own rhythm so that sailors can tell them apart; The tower of Hercules has been lit since Roman times; Mercury let a lens of several tonnes turn at the push of a finger; The last keepers left when the lamps could change their own bulbs; A log of weather is a diary without an I`,
  ),
  culture(
    'sleep',
    'health biology medicine essays',
    `
    things: dream; alarm clock; nap; night shift; pillow; sleep diary/sleep diaries; lullaby; lamp; shift worker; yawn
    people: sleep researcher; night nurse; new parent; shift worker; insomniac
    tools: sleep diary; electrode; dim lamp; earplug; eye mask
    places: in the sleep lab; before midnight; in the early hours; on the night shift; by the open window
    measures: hours per night; time to fall asleep; light at the eye; deep sleep; caffeine after noon
    acts: keeping a diary; dimming the lights; napping for twenty minutes; getting up at the same hour; leaving the phone outside
    troubles: jet lag; a streetlamp; late coffee; snoring; a racing mind
    facts: People used to sleep in two parts with an hour awake between them; Dolphins sleep with half a brain at a time; Light in the morning sets the clock for the night; Nobody has found an animal that never sleeps; A short nap clears the head and a long one fogs it; Teenagers wake late because their clocks run late`,
  ),
  culture(
    'essay writing',
    'writing essays teaching fiction',
    `
    things: draft; paragraph; opening line; sentence; notebook; quotation; comma; essay; title; reader
    people: essayist; editor; student; night writer; first reader
    tools: pencil; pair of scissors; printed draft; timer; friend with patience
    places: in the margin; on the first page; at the end of the second draft; in the middle of a paragraph; at the kitchen table
    measures: words per day; drafts per essay; the length of sentences; adverbs; hours of silence
    acts: reading aloud; cutting the first page; writing badly on purpose; keeping a notebook; stopping in the middle
    troubles: a throat-clearing opening; a borrowed opinion; a tidy ending; an adverb; a deadline
    facts: Montaigne called his pieces attempts and meant it; The first paragraph is often a ladder that can be taken away; Readers forgive an error sooner than a pose; A sentence that is hard to say is hard to read; Most drafts begin on their second page; An essay may end with a better question`,
  ),
];
