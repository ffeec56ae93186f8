"use strict";
// Search without a page: reads the search index of a release and ranks its sections, in the order in which
// docshelf.serve.search ranks them. Works wherever a classic script loads, also from a disk.
//
//   const index = docshelfSearch.open(base)
//       base: URL of the release's root as the page sees it, "" or ending in "/". Nothing is loaded yet.
//   index.search(query, {limit: 10, path: ""}) -> Promise of {hits, words}
//       path: "" for the whole shelf, a folder ("docs/net") or the Markdown path of one section.
//       hits: best first, {path, title, document, pages: [1, 2], labels: ["i", "2"], extract, score};
//       path is the section's Markdown, its page stands beside it with ".html"; extract is how its text begins.
//       words: what was found, for `marks` and `snippet`; plain JSON, may be kept in sessionStorage.
//       Rejects where a shard cannot be loaded. Calls do not cancel each other.
//   docshelfSearch.marks(text, words) -> [[start, end], …], the found words in a text
//   docshelfSearch.snippet(markdown, words) -> {text, marks, page}, the telling piece of a section's Markdown;
//       page: PDF page on which its words stand, null where none was found
//   docshelfSearch.telling(texts, words) -> number of the text in which that piece's words begin, -1 without
//   docshelfSearch.label(hit, page) -> the page as printed, null where it cannot be told from the hit's pages
var docshelfSearch = (() => {
  // ---- Shards: scripts that call docshelfShard(name, value).

  const arrived = new Map();
  window.docshelfShard = (name, value) => { arrived.set(name, value); };

  const loadShard = (folder, name) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${folder}${name}.js`;
    script.charset = "utf-8";
    script.onload = () => {
      script.remove();
      if (arrived.has(name)) resolve(arrived.get(name));
      else reject(new Error(`${script.src} holds no search data`));
      arrived.delete(name);
    };
    script.onerror = () => { script.remove(); reject(new Error(`${script.src} cannot be loaded`)); };
    document.head.append(script);
  });

  // ---- Words (serve/search/words.py).

  const LONGEST = 64;
  const DROPPED = /[\u00ad\u200b-\u200f\u2060\ufeff\u0300-\u0305\u0307-\u036f]/g;
  const ASTRAL = /[\u{10000}-\u{10ffff}]/gu;
  const W = "[\\p{L}\\p{N}_]";
  const TOKEN = new RegExp(`${W}+(?:[-._/:@]{1,2}${W}+)*(?:(?:\\+{1,2}|#)(?!${W}))?`, "gu");
  const LETTERS = /^\p{L}+$/u, WORD = /^[\p{L}\p{N}]+$/u, DIGITS = /^\p{Nd}+$/u;
  const LATIN = /[a-z]/g, CYRILLIC = /[а-я]/g;
  const CYRILLIC_TWINS = "авекмнорстухіѕј", LATIN_TWINS = "abekmhopctyxisj";

  const fold = (text) =>
    text.normalize("NFKD").replace(DROPPED, "").normalize("NFC").replace(ASTRAL, " ");
  const tokens = (folded) => folded.match(TOKEN) || [];
  const count = (word, pattern) => (word.match(pattern) || []).length;
  const isMixed = (word) => count(word, LATIN) > 0 && count(word, CYRILLIC) > 0;
  const translated = (word, from, to) =>
    Array.from(word, (sign) => { const at = from.indexOf(sign); return at < 0 ? sign : to[at]; }).join("");
  const inCyrillic = (word) => translated(word, LATIN_TWINS, CYRILLIC_TWINS);
  const inLatin = (word) => translated(word, CYRILLIC_TWINS, LATIN_TWINS);

  const oneScript = (word) => {
    if (!isMixed(word)) return word;
    const mended = count(word, CYRILLIC) >= count(word, LATIN) ? inCyrillic(word) : inLatin(word);
    return isMixed(mended) ? word : mended;
  };
  const otherScript = (word) => {
    const twin = count(word, LATIN) ? inCyrillic(word) : inLatin(word);
    return isMixed(twin) || twin === word ? "" : twin;
  };
  const camelParts = (word) => {
    const parts = word.split(/(?<=[a-z])(?=[A-Z])/);
    return parts.length > 1 ? parts.filter((part) => part.length > 1).map((part) => part.toLowerCase()) : [];
  };
  const partWords = (part) => {
    const lower = part.toLowerCase();
    if (!LETTERS.test(lower)) return lower.length > 1 ? [lower] : [];
    return [oneScript(lower), ...camelParts(part)];
  };
  const isProse = (lower) => count(lower, CYRILLIC) > 0 && !/[\p{Nd}_]/u.test(lower);
  const pieceWords = (piece, nested) => {
    const lower = piece.toLowerCase();
    const parts = piece.split(/[-._+#]+/).filter(Boolean);
    if (parts.length === 1 && parts[0] === piece) return partWords(piece);
    const words = nested && !isProse(lower) ? [lower] : [];
    if (parts.every((part) => DIGITS.test(part))) return words;
    for (const part of parts) words.push(...partWords(part));
    return words;
  };
  const tokenWords = (token) => {
    const lower = token.toLowerCase().slice(0, LONGEST);
    if (LETTERS.test(lower)) return { whole: [], words: [oneScript(lower), ...camelParts(token)] };
    if (WORD.test(lower)) return { whole: [], words: [lower] };
    const pieces = token.split(/[/:@]+/);
    const words = pieces.flatMap((piece) => pieceWords(piece, pieces.length > 1));
    const whole = isProse(lower) ? [] : [lower];
    const joined = lower.replaceAll("-", "");
    if (whole.length && lower.split("-").length === 2 && LETTERS.test(joined)) whole.push(joined);
    return { whole, words: [...new Set(words.map((word) => word.slice(0, LONGEST)))] };
  };

  // ---- Forms (serve/search/forms.py); the rules come with the catalog.

  const LONGEST_ENDING = 8, ROUNDS = 8;
  const VOWELS = new Set("аеиоуыэюяaeiouy");

  const ruleGroup = (text) => {
    const rules = new Map();
    for (const rule of text.split(" ")) {
      const [ending, replacement, least, after = ""] = rule.split("/");
      if (!rules.has(ending)) rules.set(ending, []);
      rules.get(ending).push([replacement, Number(least), after]);
    }
    return rules;
  };
  const replaced = (word, group) => {
    for (let length = Math.min(LONGEST_ENDING, word.length - 1); length > 0; length--) {
      const left = word.slice(0, -length);
      for (const [replacement, least, after] of group.get(word.slice(-length)) || []) {
        const follows = !after || after.includes(left[left.length - 1]);
        if (left.length >= least && follows && Array.from(left).some((sign) => VOWELS.has(sign))) {
          return left + replacement;
        }
      }
    }
    return word;
  };
  const scriptForms = ({ letters, stem, root, swaps }) => {
    const known = new Set(letters);
    const stems = stem.map(ruleGroup), rootGroups = root.map(ruleGroup);
    const swapped = swaps.map((swap) => swap.split("/"));
    const roots = (word) => {
      let found = word, other = "";
      for (let round = 0; round < ROUNDS; round++) {
        const before = found;
        for (const [ending, vowel, instead] of swapped) {
          if (!found.endsWith(ending)) continue;
          const left = found.slice(0, -ending.length);
          const at = Math.max(...Array.from(VOWELS, (sign) => left.lastIndexOf(sign)));
          if (left[at] === vowel) other = left.slice(0, at) + instead + left.slice(at + 1);
        }
        for (const group of rootGroups) found = replaced(found, group);
        if (found === before) break;
      }
      return other ? [found, roots(other)[0]] : [found];
    };
    return {
      owns: (word) => Array.from(word).every((sign) => known.has(sign)),
      stem: (word) => stems.reduce(replaced, word),
      roots,
    };
  };
  const wordForms = (rules) => {
    const scripts = rules.map(scriptForms);
    const script = (word) => scripts.find((it) => it.owns(word));
    return {
      stem: (word) => { const own = script(word); return own ? own.stem(word) : word; },
      roots: (stem) => { const own = script(stem); return own ? own.roots(stem) : [stem]; },
    };
  };

  // ---- Postings (serve/search/postings.py).

  const LEVEL_VALUES = [0, 3, 4, 5, 6, 8, 10, 12, 15, 19, 24, 30, 38, 48, 60, 76];
  const decode = (text) => {
    const numbers = [], levels = [];
    let number = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at) - 35;
      number += code >> 4;
      if (code & 15) { numbers.push(number); levels.push(code & 15); }
    }
    return { numbers, levels };
  };

  // ---- Vocabulary (serve/search/vocabulary.py).

  const EXACT = 16, RELATED = 11, BEGUN = 9, BEGINNING = 5, MISTYPED = 10, UNKNOWN_FORM = 8, PAIR = 8;
  const LAST = "\uffff", PAIR_SIGN = "!", ROOT_RANGE = 4, RELATED_LEAST = 3, BEGINNING_LEAST = 2, MISTYPED_LEAST = 4;
  const ENDING_MOST = 4, SHARDS_MOST = 3, WORDS_MOST = 40, MENDED_MOST = 4;

  const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
  // Both give a place in a sorted list: of the first element that is not before, or is after, the key.
  const bisect = (sorted, key, after) => {
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (after ? sorted[middle] <= key : sorted[middle] < key) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const bisectLeft = (sorted, key) => bisect(sorted, key, false);
  const bisectRight = (sorted, key) => bisect(sorted, key, true);

  const shardRow = ([firsts, names]) => {
    const row = { firsts: firsts.split(" "), names: names.split(" ") };
    if (!firsts) row.firsts = row.names = [];
    row.at = (key) => Math.max(0, bisectRight(row.firsts, key) - 1);
    row.between = (first, last) => row.names.slice(row.at(first), row.at(last) + 1);
    return row;
  };
  const beginningWith = (sorted, start) => {
    const found = [];
    for (let at = bisectLeft(sorted, start); at < sorted.length && sorted[at].startsWith(start); at++) {
      found.push(at);
    }
    return found;
  };
  const reversed = (word) => Array.from(word).reverse().join("");

  const oneError = (typed, word) => {
    if (typed.startsWith(word)) return typed.length - word.length;
    let same = 0;
    while (same < typed.length && same < word.length && typed[same] === word[same]) same++;
    const rest = typed.slice(same), wanted = word.slice(same);
    const swapped = rest.slice(1, 2) + rest.slice(0, 1) + rest.slice(2);
    const tries = [
      [rest.slice(1), wanted.slice(1)], [rest, wanted.slice(1)], [rest.slice(1), wanted], [swapped, wanted],
    ];
    for (const [tried, expected] of tries) {
      if (tried.startsWith(expected)) return tried.length - expected.length;
    }
    return null;
  };
  const mistypedWeight = (typed, word) => {
    if (word.length < Math.max(MISTYPED_LEAST, typed.length - ENDING_MOST - 1)) return 0;
    if (word.length > typed.length + 1) return 0;
    const left = oneError(typed, word);
    if (left === null || left > ENDING_MOST) return 0;
    return typed.startsWith(word) ? UNKNOWN_FORM : MISTYPED;
  };

  const vocabularyOf = (catalog, forms, termsShard, tailsShard) => {
    const swapEndings = catalog.rules.flatMap((rules) => rules.swaps.map((swap) => swap.split("/")[0]));

    const postings = async (word) => {
      if (!catalog.terms.names.length) return "";
      const shard = await termsShard(catalog.terms.names[catalog.terms.at(word)]);
      const at = bisectLeft(shard.words, word);
      return shard.words[at] === word ? shard.postings[at] : "";
    };
    const beginning = async (start) => {
      const names = catalog.terms.between(start, start + LAST).slice(0, SHARDS_MOST);
      const shards = await Promise.all(names.map(termsShard));
      return shards.flatMap((shard) =>
        beginningWith(shard.words, start).map((at) => [shard.words[at], shard.postings[at]]))
        .filter(([word]) => !word.includes(PAIR_SIGN));
    };
    const related = async (stem) => {
      const roots = forms.roots(stem);
      const starts = [...new Set(roots.map((root) => root.slice(0, ROOT_RANGE)))];
      const found = (await Promise.all(starts.map(beginning))).flat().map(([word]) => word);
      return found.filter((word) => {
        const near = roots.some((root) => word.startsWith(root)) ||
          swapEndings.some((ending) => word.includes(ending));
        return near && word !== stem && forms.roots(word).some((root) => roots.includes(root));
      });
    };
    const known = async (word) => {
      const stem = forms.stem(word), found = new Map();
      if (await postings(stem)) found.set(stem, EXACT);
      const derived = LETTERS.test(word) && stem.length >= RELATED_LEAST;
      for (const other of derived ? await related(stem) : []) {
        if (!found.has(other)) found.set(other, RELATED);
      }
      return found;
    };
    const identifier = async (whole) => new Map(await postings(whole) ? [[whole, EXACT]] : []);
    const begun = async (typed, weight) => {
      if (typed.length < BEGINNING_LEAST) return new Map();
      const found = await beginning(typed);
      found.sort((one, other) => other[1].length - one[1].length || compare(one[0], other[0]));
      return new Map(found.slice(0, WORDS_MOST).map(([word]) => [word, weight]));
    };
    const ending = async (end) => {
      const start = reversed(end);
      const names = catalog.tails.between(start, start + LAST).slice(0, SHARDS_MOST);
      const shards = await Promise.all(names.map(tailsShard));
      return shards.flatMap((words) => beginningWith(words, start).map((at) => reversed(words[at])));
    };
    const mistyped = async (typed) => {
      const found = new Map();
      if (typed.length < MISTYPED_LEAST || !LETTERS.test(typed)) return found;
      const stem = forms.stem(typed);
      const whole = Math.max(1, (stem.length - 1) >> 1);
      const [starting, finishing] = await Promise.all([
        beginning(typed.slice(0, whole)), ending(stem.slice(-whole)),
      ]);
      for (const [word] of starting) {
        const weight = mistypedWeight(typed, word);
        if (weight) found.set(word, weight);
      }
      for (const word of finishing) {
        if (!found.has(word) && oneError(stem, word) === 0) found.set(word, MISTYPED);
      }
      const best = [...found].sort(([one, weight], [other, rival]) =>
        rival - weight || other.length - one.length || compare(one, other)).slice(0, MENDED_MOST);
      const mended = new Map(best);
      for (const [word, weight] of best) {
        for (const other of await related(word)) {
          if (!mended.has(other)) mended.set(other, Math.floor(weight * RELATED / EXACT));
        }
      }
      return mended;
    };
    return { stem: forms.stem, postings, known, identifier, begun, mistyped };
  };

  // ---- Queries (serve/search/queries.py, layouts.py).

  const READ = 4000, CHARACTERS = 400, WORDS = 16;
  const KEYS_LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`" + '{}:"<>~';
  const KEYS_RUSSIAN = "йцукенгшщзхъфывапролджэячсмитьбюё" + "хъжэбюё";
  const SPACE = /(?:[^\S\ufeff]|[\x1c-\x1f\x85])+/;

  const otherLayout = (typed) => {
    const lower = typed.toLowerCase();
    const cyrillic = Array.from(lower).some((sign) => KEYS_RUSSIAN.includes(sign));
    if (!cyrillic) return translated(lower, KEYS_LATIN, KEYS_RUSSIAN);
    return translated(lower, KEYS_RUSSIAN.slice(0, 33), KEYS_LATIN.slice(0, 33));
  };
  // The first CHARACTERS code points, with runs of white space as one space.
  const chunksOf = (query) => {
    const begun = query.slice(Math.max(0, query.search(/[^\s\x1c-\x1f\x85]|\ufeff/)));
    const read = Array.from(begun.slice(0, READ * 2)).slice(0, READ).join("");
    const spaced = read.split(SPACE).filter(Boolean).join(" ");
    return Array.from(spaced).slice(0, CHARACTERS).join("").split(" ").filter(Boolean).slice(0, WORDS);
  };
  const understood = async (query, vocabulary, allStops) => {
    const chunks = chunksOf(query);
    const cut = (chunk) => tokens(fold(chunk)).map(tokenWords);
    const others = chunks.flatMap((chunk) => cut(chunk).flatMap((token) => token.words));
    const stops = others.every((word) => allStops.has(word)) ? new Set() : allStops;
    const searched = (found) => found.flatMap((token) => token.words).filter((word) => !stops.has(word));
    const every = (list, look) => Promise.all(list.map(look));
    const none = new Map();

    const meaning = async (word, found, last) => {
      if (found.size) {
        return last ? new Map([...await vocabulary.begun(word, BEGINNING), ...found]) : found;
      }
      const twin = otherScript(word);
      const tries = [
        () => (twin ? vocabulary.known(twin) : none),
        () => vocabulary.begun(word, BEGUN),
        () => vocabulary.mistyped(word),
      ];
      for (const look of tries) {
        const meanings = await look();
        if (meanings.size) return meanings;
      }
      return none;
    };
    const wholeMeaning = async (token, last) => {
      const found = new Map((await every(token.whole, vocabulary.identifier)).flatMap((it) => [...it]));
      if (!token.whole.length || (!last && found.size)) return found;
      return new Map([...await vocabulary.begun(token.whole[0], found.size ? BEGINNING : BEGUN), ...found]);
    };
    const chunkMeanings = async (chunk, last) => {
      const typed = cut(chunk), words = searched(typed);
      const known = await every(words, vocabulary.known);
      if (words.length && known.every((it) => !it.size)) {
        const switched = searched(cut(otherLayout(chunk)));
        const other = await every(switched, async (word) => {
          const found = await vocabulary.known(word);
          return found.size || !last ? found : vocabulary.begun(word, BEGUN);
        });
        if (other.length && other.every((it) => it.size)) return [switched, other];
      }
      return [words, [
        ...await every(typed, (token) => wholeMeaning(token, last)),
        ...await every(words, (word, at) => meaning(word, known[at], last && at === words.length - 1)),
      ]];
    };
    const read = await every(chunks, (chunk, at) => chunkMeanings(chunk, at === chunks.length - 1));
    const meanings = new Map();
    for (const found of read.flatMap(([, found]) => found)) {
      const key = JSON.stringify([...found].sort(([one], [other]) => compare(one, other)));
      if (found.size && !meanings.has(key)) meanings.set(key, found);
    }
    const stems = read.flatMap(([words]) => words).slice(0, WORDS).map(vocabulary.stem);
    const pairs = new Set(stems.slice(1).map((stem, at) => stems[at] + PAIR_SIGN + stem));
    return { words: [...meanings.values()].slice(0, WORDS), pairs: [...pairs] };
  };

  // ---- Ranking (serve/search/ranking.py).

  const COUNTED = 2 ** 40, RARITY_STEPS = 64;
  const rarity = (frequency, sections) =>
    Math.floor(Math.log(1 + (sections - frequency + 0.5) / (frequency + 0.5)) * RARITY_STEPS + 0.5);

  const bestIn = (meanings, [from, to]) => {
    const best = new Map();
    for (const { weight, numbers, levels } of meanings) {
      const end = bisectLeft(numbers, to);
      for (let at = bisectLeft(numbers, from); at < end; at++) {
        const worth = LEVEL_VALUES[levels[at]] * weight;
        if (worth > (best.get(numbers[at]) || 0)) best.set(numbers[at], worth);
      }
    }
    return best;
  };
  const ranked = (words, pairs, sections, within, limit) => {
    const totals = new Map();
    for (const meanings of words) {
      const rare = rarity(Math.max(...meanings.map((it) => it.numbers.length)), sections);
      for (const [number, worth] of bestIn(meanings, within)) {
        totals.set(number, (totals.get(number) || 0) + worth * rare + COUNTED);
      }
    }
    for (const found of pairs) {
      const rare = rarity(found.numbers.length, sections);
      for (const [number, worth] of bestIn([found], within)) {
        if (totals.has(number)) totals.set(number, totals.get(number) + worth * rare);
      }
    }
    const asked = words.length;
    const scores = Array.from(totals, ([number, total]) => {
      const found = Math.floor(total / COUNTED);
      return [number, Math.floor((total % COUNTED) * (2 * asked + 3 * found) / (5 * asked))];
    });
    scores.sort(([one, score], [other, rival]) => rival - score || one - other);
    return scores.slice(0, limit);
  };

  // ---- Text (serve/search/plain.py, snippets.py).

  const PIECE = 200, BEFORE = 50, PIECE_READ = 100000, MARKS_READ = 200, START = 4;
  const LINES_OUT = /^(?:<!-- p\d+ -->|(?:`{3,}|~{3,}).*|\|(?: *:?-+:? *\|)+)$/gm;
  const LINK = /!?\[((?:[^[\]\\]|\\.)*)\]\([^()\s]*\)/g;
  const LINE_START = /^(?:#{1,6} +|> | *- )/gm;
  const CODE = /(\\`)|`/g;
  const ESCAPE = /\\([!-/:-@[-`{-~])/g;

  const bodyOf = (markdown) => {
    if (!markdown.startsWith("# ")) return markdown;
    const lines = markdown.split("\n");
    return lines.slice(lines.length > 3 && lines[2].startsWith("> ") ? 4 : 1).join("\n");
  };
  const plain = (markdown) => {
    const text = markdown.replace(LINES_OUT, "").replace(LINK, "$1").replace(LINE_START, "");
    return text.replaceAll("\\|", "\\\0").replaceAll("|", " ").replaceAll("\\\0", "|")
      .replaceAll("**", "").replace(CODE, "$1").replace(ESCAPE, "$1");
  };
  // [page, text] of each page of a body, 0 before the first page mark; pages without text are left out.
  const PAGE_MARK = /^<!-- p([1-9][0-9]{0,5}) -->$/m;
  const pageTexts = (markdown) => {
    const parts = markdown.split(PAGE_MARK);
    return parts.flatMap((part, at) => {
      const text = at % 2 ? "" : oneLine(plain(part));
      return text ? [[at ? Number(parts[at - 1]) : 0, text]] : [];
    });
  };
  const oneLine = (text) => text.split(SPACE).filter(Boolean).join(" ");

  const startOf = (word) => (word.length > START ? word.slice(0, START) : word.slice(0, Math.max(1, word.length - 1)));
  const finders = new WeakMap();
  const finderOf = (words) => {
    if (!finders.has(words)) finders.set(words, newFinder(words));
    return finders.get(words);
  };
  const newFinder = ({ groups, rules }) => {
    const forms = wordForms(rules), numbers = new Map();
    groups.forEach((group, number) => {
      for (const word of group) if (!numbers.has(word)) numbers.set(word, number);
    });
    const starts = [...new Set([...numbers.keys()].map(startOf))];
    starts.sort((one, other) => other.length - one.length || compare(one, other));
    const joined = starts.map((start) => start.replace(/[.+]/g, "\\$&")).join("|");
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${joined.replaceAll("е", "[её]") || "(?!)"})${W}*(?:[-._/:@]{1,2}${W}+)*`, "giu");
    const groupOf = (written) => {
      const token = tokenWords(fold(written));
      const keys = [...token.whole, ...token.words.map(forms.stem)];
      const key = keys.find((it) => numbers.has(it));
      return key === undefined ? null : numbers.get(key);
    };
    return (text) => {
      const found = [];
      for (const match of text.matchAll(pattern)) {
        const group = groupOf(match[0]);
        if (group !== null) found.push([match.index, match.index + match[0].length, group]);
      }
      return found;
    };
  };
  const bestStart = (found) => {
    let best = 0, kinds = 0, most = 0;
    found.forEach(([start], at) => {
      const near = found.slice(at).filter(([begin]) => begin < start + PIECE - BEFORE);
      const distinct = new Set(near.map(([, , group]) => group)).size;
      if (distinct > kinds || (distinct === kinds && near.length > most)) {
        [best, kinds, most] = [start, distinct, near.length];
      }
    });
    return best;
  };
  const pieceOf = (text, wanted) => {
    let start = Math.max(0, Math.min(wanted - BEFORE, text.length - PIECE));
    if (start) {
      const space = text.indexOf(" ", start);
      start = space >= 0 && space < wanted ? space + 1 : start;
    }
    let end = Math.min(text.length, start + PIECE);
    if (end < text.length) {
      const cut = text.lastIndexOf(" ", end - 1);
      end = cut > wanted ? cut : end;
    }
    return [start, end];
  };
  // Number of the text that holds a position in all texts, joined by spaces.
  const holding = (texts, position) => {
    let end = 0;
    return texts.findIndex((text) => position < (end += text.length + 1));
  };
  const marks = (text, words) => finderOf(words)(text).map(([start, end]) => [start, end]);
  const snippet = (markdown, words) => {
    const pages = pageTexts(bodyOf(markdown).slice(0, PIECE_READ));
    const text = pages.map(([, its]) => its).join(" ");
    const found = finderOf(words)(text).slice(0, MARKS_READ);
    const wanted = bestStart(found);
    const [start, end] = pieceOf(text, wanted);
    const page = found.length ? pages[holding(pages.map(([, its]) => its), wanted)][0] || null : null;
    const before = start ? "… " : "", after = end < text.length ? "…" : "";
    const moved = before.length - start;
    return {
      text: before + text.slice(start, end) + after,
      marks: found.filter((it) => it[0] >= start && it[1] <= end).map((it) => [it[0] + moved, it[1] + moved]),
      page,
    };
  };
  const telling = (texts, words) => {
    const found = finderOf(words)(texts.join(" ")).slice(0, MARKS_READ);
    return found.length ? holding(texts, bestStart(found)) : -1;
  };

  // ---- Pages as printed (serve/search/hits.py).

  const label = ({ pages: [first, last], labels: [firstLabel, lastLabel] }, page) => {
    if (page === first) return firstLabel;
    if (page === last) return lastLabel;
    const counted = [firstLabel, lastLabel].every((it) => /^[1-9][0-9]{0,8}$/.test(it));
    if (!counted || lastLabel - firstLabel !== last - first) return null;
    return String(Number(firstLabel) + page - first);
  };

  // ---- The index of a release (serve/search/index.py).

  const FORMAT = 1, HITS = 10;

  const open = (base) => {
    const folder = `${base}assets/search/`, loading = new Map();
    const shard = (name, understand) => {
      if (!loading.has(name)) {
        const loaded = loadShard(folder, name).then(understand);
        loaded.catch(() => loading.delete(name));
        loading.set(name, loaded);
      }
      return loading.get(name);
    };
    const termsShard = (name) => shard(name, ([words, postings]) =>
      ({ words: words.split(" "), postings: postings.split(" ") }));
    const tailsShard = (name) => shard(name, (words) => words.split(" "));
    const placesShard = (name) => shard(name, (documents) => documents.flatMap(([document, places]) =>
      places.map(([path, title, pages, labels, extract]) => ({ path, title, document, pages, labels, extract }))));
    const start = () => shard("index", (values) => {
      if (values.format !== FORMAT) throw new Error(`search data of format ${values.format}, not ${FORMAT}`);
      const catalog = { ...values };
      for (const kind of ["terms", "tails", "places"]) catalog[kind] = shardRow(values[kind]);
      const vocabulary = vocabularyOf(catalog, wordForms(catalog.rules), termsShard, tailsShard);
      return { catalog, vocabulary, stops: new Set(catalog.stops.split(" ")) };
    });
    const placeBefore = async (catalog, path) => {
      if (!catalog.places.names.length) return 0;
      const at = catalog.places.at(path);
      const paths = (await placesShard(catalog.places.names[at])).map((place) => place.path);
      return catalog.numbers[at] + bisectLeft(paths, path);
    };
    const placeOf = async (catalog, number) => {
      const at = bisectRight(catalog.numbers, number) - 1;
      return (await placesShard(catalog.places.names[at]))[number - catalog.numbers[at]];
    };
    const search = async (query, { limit = HITS, path = "" } = {}) => {
      const { catalog, vocabulary, stops } = await start();
      const below = !path || path.endsWith("/") || path.endsWith(".md") ? path : `${path}/`;
      const within = below
        ? await Promise.all([placeBefore(catalog, below), placeBefore(catalog, below + LAST)])
        : [0, catalog.sections];
      const asked = await understood(query, vocabulary, stops);
      const found = async (word, weight) => ({ weight, ...decode(await vocabulary.postings(word)) });
      const words = await Promise.all(asked.words.map((meanings) =>
        Promise.all(Array.from(meanings, ([word, weight]) => found(word, weight)))));
      const pairs = (await Promise.all(asked.pairs.map((it) => found(it, PAIR)))).filter((it) => it.numbers.length);
      const best = words.length ? ranked(words, pairs, catalog.sections, within, limit) : [];
      const hits = await Promise.all(best.map(async ([number, score]) => ({ ...await placeOf(catalog, number), score })));
      return { hits, words: { groups: asked.words.map((it) => [...it.keys()]), rules: catalog.rules } };
    };
    return { search };
  };

  return { open, marks, snippet, telling, label };
})();
