/* Runs before the theme's search worker: it rewrites each question, and repairs one function of lunr 2.3.9.

The theme takes each word of a question for the beginning of a word, sees an operator in `clouddb:baseUrl` and in
`--stack`, and returns nothing then. `is` and `in` find the most pages. */

(() => {
  const SEARCH_SETUP = 0, SEARCH_QUERY = 2;

  const LITTLE = new Set(("an and are as at be by can do does for from has have how if in is it my of on or that the "
    + "there this to was what when where which who why with without you your our its they need").split(" "));

  /* A word that most pages have tells nothing beside another word. Those of functions are alike, and do not count. */
  const MOST = 0.75, ALIKE = "reference/functions/";
  let everywhere = new Set();

  function wordsOfMost(sections) {
    const pages = new Map(), having = new Map();
    for (const {location, title, text} of sections) {
      const page = location.split("#")[0];
      if (!page.startsWith(ALIKE))
        pages.set(page, `${pages.get(page) ?? ""} ${title} ${text.replace(/<[^>]*>/g, " ")}`);
    }
    for (const text of pages.values())
      for (const word of new Set(text.toLowerCase().split(/[^\p{L}\p{N}_]+/u)))
        having.set(word, (having.get(word) ?? 0) + 1);
    return new Set([...having.keys()].filter((word) => having.get(word) > pages.size * MOST));
  }

  /* `ip access list` is ipAccessList in the reference. A longer question is a sentence: the theme prefers pages that
  have most of its words, and each name that no page has counts as a word. */
  const LONGEST_NAME = 3, BOOST_OF_NAMES = 20;

  /* What the forms of a word begin with: invite, inviting, invitation. A whole word counts, too, as the title
  GoogleAuthentication begins with `go`. */
  const ENDING = /^([a-z]{4,}?)(?:ing|ed|es|s|e)$/;

  function rewritten(question) {
    const all = question.toLowerCase().split(/[^\p{L}\p{N}_#]+|\B#/u)
      .filter((word) => word.length > 1 && !LITTLE.has(word));
    const telling = all.filter((word) => !everywhere.has(word));
    const words = telling.length ? telling : all;
    const names = new Set(words.filter((word) => word.includes("_")).map((word) => word.replaceAll("_", "")));
    for (let first = 0; first < words.length && words.length <= LONGEST_NAME; first += 1)
      for (let last = first + 2; last <= words.length; last += 1)
        names.add(words.slice(first, last).join(""));
    const beginnings = words.map((word) => word.replace(ENDING, "$1"));
    const whole = words.map((word) => `${word}^1`);
    return [...beginnings, ...whole, ...[...names].map((name) => `${name}^${BOOST_OF_NAMES}`)].join(" ");
  }

  /* lunr joins label and id of each edge without anything between them. With digits as labels, two nodes of its graph
  can have the same text, are taken for one, and the words that come from it are in no page: the search fails. */
  function repair(lunr) {
    lunr.TokenSet.prototype.toString = function () {
      const edges = Object.keys(this.edges).sort().map((label) => `${label}${this.edges[label].id},`);
      return this._str || `${this.final ? 1 : 0}${edges.join("")}`;
    };
  }

  addEventListener("message", ({ data: message }) => {
    if (message.type === SEARCH_SETUP) {
      repair(self.lunr);
      everywhere = wordsOfMost(message.data.docs);
    }
    if (message.type === SEARCH_QUERY) message.data = rewritten(message.data);
  });
})();
