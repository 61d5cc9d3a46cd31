import { science, type Topic } from './topic.js';

export const NATURE: readonly Topic[] = [
  science(
    'coral reefs',
    'oceans ecology biology climate',
    `
    things: coral; polyp; sea fan; parrotfish/parrotfish; larva/larvae; quadrat; nursery tank; brain coral; sponge; anemone
    people: reef ecologist; diver; fisher; boat captain; park ranger
    tools: transect line; underwater camera; temperature logger; waterproof slate; satellite map
    places: on the reef flat; in the lagoon; along the outer slope; at the field station; behind the breakwater
    measures: coral cover; water temperature; the density of algae; bleaching scores; growth rings; the catch of each boat
    acts: photographing quadrats; counting larvae at night; mapping the outer slope; tying fragments to a rope; cleaning the loggers
    troubles: bleaching; overfishing; muddy runoff; a broken anchor chain; storm damage
    facts: A coral is an animal that farms algae inside its own skin; Reefs cover less than one percent of the sea floor and shelter about a quarter of marine fish; Most corals of one reef release their eggs in the same few nights of the year; Parrotfish bite off dead coral and leave it behind as white sand; Warm water makes the polyps expel the algae that feed them; The oldest colonies have grown for more than a thousand years`,
  ),
  science(
    'soil carbon',
    'ecology geology climate chemistry',
    `
    things: soil core; cover crop; earthworm; root mat; compost heap; hedgerow; clay particle; fungal thread; pasture; ditch
    people: soil scientist; farmer; agronomist; field assistant; land surveyor
    tools: auger; drying oven; paper bag; mass spectrometer; borrowed tractor
    places: under the old pasture; at the edge of the beet field; along the hedge; in the long-term plots; beneath the litter layer
    measures: bulk density; organic matter at ten depths; respiration in the dark; root biomass; the depth of the plough layer
    acts: drying cores overnight; sieving the samples; digging a second pit; sowing clover between the rows; weighing roots
    troubles: compaction; erosion; a wet autumn; stony ground; a mislabelled bag
    facts: Soil holds more carbon than the air and all plants together; Most of the carbon in a meadow lies where no plough reaches; A handful of earth has more microbes than there are people; Bare ground loses in one storm what roots gathered in ten years; Roots feed fungi with sugar and are paid in phosphorus; Clay protects organic matter by hiding it from microbes`,
  ),
  science(
    'migratory birds',
    'ecology biology climate forests',
    `
    things: swallow; warbler; ringed tern; flyway; feather; nest box; flock; godwit; roost; stopover
    people: ringer; ornithologist; lighthouse keeper; volunteer counter; reserve warden
    tools: mist net; spotting scope; numbered ring; light logger; weather radar
    places: over the strait; on the mudflats; at the ringing hut; above the reed bed; along the coast road
    measures: body fat; arrival dates; wind speed at night; wing length; the size of each flock
    acts: opening the nets at dawn; reading rings through a scope; counting flocks by moonlight; weighing warblers; comparing old diaries
    troubles: fog; a late spring; drained marshland; lit windows; a headwind of three days
    facts: A bar-tailed godwit can fly from Alaska to New Zealand without a stop; Many small birds travel at night and rest by day; An Arctic tern sees more daylight in a year than any other animal; Young cuckoos find their way to Africa without their parents; Before the journey a warbler may double its weight; Lit towers confuse flocks on cloudy nights`,
  ),
  science(
    'bees',
    'ecology biology craft health',
    `
    things: hive; queen; swarm; honeycomb; drone; bumblebee; frame; smoker; brood box; foxglove
    people: beekeeper; entomologist; orchard owner; neighbour; school class
    tools: smoker; hive scale; queen marker; hand lens; thermal camera
    places: behind the orchard; on the library roof; under the lime trees; in the heather; beside the south wall
    measures: the weight of the hive; flight counts; pollen color; brood temperature; the nectar of each flower
    acts: watching the entrance; weighing frames; marking the queen; planting borage; listening at the wall of the hive
    troubles: varroa; a wet June; a queenless colony; late frost; mouldy pollen
    facts: A forager dances to tell her sisters where the food is; One worker makes about a twelfth of a teaspoon of honey in her life; Most of the world's bee species live alone and in the ground; A swarm chooses its new home by something like a vote; Bumblebees shake pollen loose by buzzing at the right pitch; In winter the colony forms a ball and shivers to stay warm`,
  ),
  science(
    'fungi',
    'forests ecology biology cooking',
    `
    things: mushroom; spore; chanterelle; mycelium/mycelia; truffle; bracket fungus/bracket fungi; lichen; spore print; gill; log
    people: mycologist; forager; forester; market seller; lichen specialist
    tools: knife; sheet of black paper; microscope; wicker basket; herbarium drawer
    places: under the beeches; on a fallen trunk; in the damp hollow; along the forest road; beside the sawmill
    measures: spore size; rainfall of the week before; the width of the ring; wood moisture; species per hectare
    acts: making spore prints; smelling every specimen; drawing the gills; turning logs over; asking before eating
    troubles: a lookalike; drought; trampling; a worm-eaten stem; a wrong label
    facts: The mushroom is only the fruit of a body that lives in the ground; One honey fungus in Oregon covers more than nine square kilometres; Lichens are a partnership of a fungus with algae or bacteria; Without fungi dead wood would pile up for centuries; Most trees trade sugar for minerals with fungi on their roots; Some mushrooms glow faintly in the dark`,
  ),
  science(
    'river deltas',
    'geology oceans cities climate',
    `
    things: levee; channel; mudbank; mangrove; sediment core; fish trap; sluice; rice field; sandbar; oyster bed
    people: hydrologist; ferry pilot; rice farmer; dredger crew; coastal engineer
    tools: echo sounder; old chart; piston corer; tide gauge; drone
    places: at the mouth of the river; behind the levee; on the third island; in the mangroves; along the old channel
    measures: the load of sediment; salinity at high tide; subsidence per year; channel width; the height of the levees
    acts: sounding the channel; coring the mudbank; walking the levee at low tide; comparing charts; talking with pilots
    troubles: subsidence; salt water; an upstream dam; a collapsed bank; sand mining
    facts: A delta sinks wherever the river no longer brings it mud; More than three hundred million people make their homes on deltas; Mangrove roots slow the waves and catch the silt; Channels of a delta move sideways unless walls hold them; The Nile brought its delta new soil every summer until the dam; Salt reaches the fields first in the dry season`,
  ),
  science(
    'glacier melt',
    'climate geology photography physics',
    `
    things: moraine; crevasse; stake; meltwater stream; ice core; snow pit; glacier; ridge; weather mast; moulin
    people: glaciologist; hut keeper; mountain guide; doctoral student; hydropower engineer
    tools: steam drill; ablation stake; time-lapse camera; ground radar; avalanche probe
    places: on the tongue of the glacier; at the upper hut; below the icefall; in the snow pit; beside the terminal lake
    measures: the mass balance; summer melt; the reflectivity of snow; ice thickness; the discharge of the stream
    acts: drilling stakes into the ice; digging a snow pit; repeating an old photograph; reading the gauge at noon; carrying batteries uphill
    troubles: a snow bridge; Saharan dust; a frozen logger; a warm September; rockfall
    facts: Blue ice is old snow that has lost its air; Dark dust makes a glacier melt faster because it drinks the sun; A valley glacier can move a metre a day; The water of a dry August comes from snow that fell centuries ago; Ice cores keep small bubbles of ancient air; Many glaciers of the Alps have lost half of their volume since 1931`,
  ),
  science(
    'mountain weather',
    'climate physics geology travel',
    `
    things: barometer; ridge; thunderhead; hut log; rain gauge; lenticular cloud; cold front; pass; anemometer; snow line
    people: forecaster; hut keeper; mountain guide; shepherd; rescue volunteer
    tools: barometer; wet thread thermometer; radar loop; weather balloon; paper chart
    places: on the north ridge; at the pass; above the tree line; in the hut; along the south face
    measures: pressure at six in the morning; wind chill; the height of the cloud base; hours of sunshine; the depth of new snow
    acts: reading the clouds; logging the pressure; turning back early; launching a balloon; calling the next valley
    troubles: lightning; a whiteout; a foehn storm; wet rope; an optimistic forecast
    facts: Air cools by about one degree for every hundred metres it rises; A flat cloud like a lens means strong wind above; Thunderstorms in the mountains like the early afternoon; Cold air flows downhill at night like water; One side of a pass may be wet while the other is dry; Wind doubles where a valley narrows`,
  ),
  science(
    'bird song',
    'biology music ecology linguistics',
    `
    things: blackbird; nightingale; sonogram; trill; dawn chorus; wren; syllable; recorder; duet; mimic
    people: bioacoustician; sound recordist; birdwatcher; composer; school group
    tools: parabolic microphone; spectrogram; pocket recorder; field notebook; pair of headphones
    places: behind the station; in the cemetery; at the edge of the wood; along the canal; under the flight path
    measures: the pitch of each trill; the length of a phrase; the hour of the first song; background noise; syllables per second
    acts: recording before sunrise; labelling spectrograms; playing a song back once; learning one bird a week; cutting out the traffic
    troubles: traffic noise; wind in the microphone; a mimic; rain on leaves; a dead battery
    facts: City birds sing higher than their cousins in the forest; A young bird babbles before it sings; The wren is small and can be heard half a kilometre away; Lyrebirds copy chainsaws and camera shutters; Birds have a voice box with two sides and can sing two notes at once; Most song is heard in the hour before sunrise`,
  ),
  science(
    'microplastics',
    'oceans chemistry health policy',
    `
    things: fibre; pellet; filter; water sample; tyre particle; fleece jacket; beach transect; mussel; wastewater plant; bead
    people: chemist; beach cleaner; textile engineer; plant operator; marine biologist
    tools: steel sieve; infrared microscope; glass bottle; pump; laundry filter
    places: below the outfall; on the north beach; in the settling tank; at the bend of the river; under the laundry machine
    measures: fibres per litre; particle size; polymer types; the share of blanks; grams per wash
    acts: rinsing glass three times; counting fibres under the microscope; running blanks; sieving beach sand; washing one jacket forty times
    troubles: contamination; a cotton lab coat; a clogged filter; a nylon net; a storm overflow
    facts: A fleece jacket sheds most of its fibres in the first few washes; Tyre dust is among the largest sources in many cities; Samples must be kept away from the clothes of the person who takes them; Mussels filter several litres of water an hour; Plastic breaks into smaller pieces and does not disappear; Wastewater plants catch most particles and leave them in the sludge`,
  ),
];
