// What the page needs beside htmx: changes go out as JSON with the key of the page, and everything works from the keyboard.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");

  htmx.defineExtension("as-json", {
    onEvent(name, event) {
      if (name === "htmx:configRequest" && event.detail.verb === "post") {
        event.detail.headers["Content-Type"] = "application/json";
        event.detail.headers["X-Dream-Token"] = root.dataset.pen;
      }
      return true;
    },
    encodeParameters(xhr, parameters, element) {
      return JSON.stringify(Object.fromEntries(parameters.entries()));
    },
  });

  // What a change did is said to those who do not see it, and the keyboard goes on from where it happened.
  const say = (where) => {
    const told = where.matches && where.matches("[data-say]") ? where : where.querySelector && where.querySelector("[data-say]");
    if (told) document.getElementById("live").textContent = told.dataset.say;
  };
  const done = document.querySelector("[data-now]");
  if (done) addEventListener("load", () => say(done));
  document.addEventListener("htmx:afterSwap", (event) => {
    const where = event.detail.elt || event.detail.target;
    say(where);
    if (event.detail.requestConfig && event.detail.requestConfig.verb === "post") {
      document.getElementById("trouble").replaceChildren(...(where.id === "trouble" ? where.childNodes : []));
      const next = where.closest && where.closest(".question") ? where.closest(".question") : where;
      const focus = next.matches && next.matches("[tabindex]") ? next : document.getElementById("main");
      focus.focus({ preventScroll: focus.id === "main" });
    }
  });

  const stops = () => [...document.querySelectorAll("[data-stop]")];
  const here = () => document.activeElement.closest("[data-stop]");
  const go = (step) => {
    const all = stops();
    if (!all.length) return;
    const at = all.indexOf(here());
    const to = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + step))];
    const inside = to.matches("[tabindex]") ? to : to.querySelector("[data-open]") || to.querySelector("a, summary, button") || to;
    if (inside === to && !to.hasAttribute("tabindex")) to.tabIndex = -1;
    inside.focus();
    to.scrollIntoView({ block: "nearest" });
  };
  const views = { n: "/", m: "/memories", d: "/decide", t: "/over-time", h: "/health" };
  let going = false;
  const edit = () => {
    const place = document.querySelector("[data-edit]");
    if (!place) return false;
    place.open = true;
    const words = place.querySelector("textarea");
    words.focus();
    words.setSelectionRange(words.value.length, words.value.length);
    return true;
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, textarea, select");
    if (event.key === "Escape" && typing) {
      event.preventDefault(); // a search field would be emptied, and what was found gone with it
      event.target.blur();
      return;
    }
    if (typing) return;
    if (going && views[event.key]) { location.href = document.querySelector(".mark").getAttribute("href").replace(/\/$/, "") + views[event.key]; return; }
    going = event.key === "g";
    if (event.key === "j") go(1);
    else if (event.key === "k") go(-1);
    else if (event.key === "/") { const q = document.getElementById("q"); if (!q) return; q.focus(); q.select(); }
    else if (event.key === "e" && edit()) { /* the words are open */ }
    else {
      const place = here() || (document.querySelectorAll(".question[data-stop]").length ? stops()[0] : null);
      const wanted = place && /^[0-9e]$/.test(event.key) && place.querySelector(`[data-key="${event.key}"]`);
      const memory = place && event.key === "e" && place.querySelector("[data-open]");
      if (wanted) wanted.click();
      else if (memory) location.href = `${memory.href}#edit`;
      else return;
    }
    event.preventDefault();
  });
  if (location.hash === "#edit") addEventListener("load", edit);
})();
