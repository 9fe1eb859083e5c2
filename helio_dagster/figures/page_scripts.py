"""The scripts of a figure's page. `{plot_id}` is the element that Plotly draws into."""

from __future__ import annotations

# The figure's own ticks of log axes fit its first range only: after a zoom plotly chooses, after a reset they are back.
TICKS_ON_ZOOM = """
{
  const page = document.getElementById('{plot_id}');
  const first = {};
  const inUTC = text => text.includes(':') ? text.replace(' ', 'T') + 'Z' : text;
  const at = place => typeof place === 'string' ? Date.parse(inUTC(place)) : place;
  const hasOwn = name => /^{axes}axis/.test(name) && page.layout[name].tickmode === 'array';
  for (const name of Object.keys(page.layout).filter(hasOwn)) first[name] = page.layout[name].range.slice();
  page.on('plotly_relayout', change => {
    const update = {};
    for (const name of Object.keys(first).filter(name => Object.keys(change).some(key => key.startsWith(name + '.range')))) {
      const [low, high] = page.layout[name].range;
      const isWhole = at(low) === at(first[name][0]) && at(high) === at(first[name][1]);
      update[name + '.tickmode'] = isWhole ? 'array' : 'auto';
    }
    if (Object.keys(update).length) Plotly.relayout(page, update);
  });
}
"""

# The head says what is shown: after a zoom its range, after a reset the figure's own words again.
RANGE_ON_ZOOM = """
{
  const page = document.getElementById('{plot_id}');
  const place = (page.layout.annotations || []).findIndex(each => each.name === 'range');
  const milliseconds = text => typeof text === 'number' ? text : Date.parse(String(text).replace(' ', 'T') + 'Z');
  const shown = () => page.layout.xaxis.range.map(milliseconds);
  const words = place < 0 ? '' : page.layout.annotations[place].text;
  const whole = place < 0 ? [] : shown();
  const inWords = (from, to) => {
    const length = to - from, digits = length < 20e3 ? 23 : length < 3 * 3600e3 ? 19 : 16;
    const [start, stop] = [from, to].map(each => new Date(each).toISOString().slice(0, digits).replace('T', ' '));
    const day = start.slice(0, 10);
    return `${start} to ${stop.startsWith(day) ? stop.slice(11) : stop} UTC`;
  };
  if (place >= 0) page.on('plotly_relayout', change => {
    if (!Object.keys(change).some(key => key.startsWith('xaxis.'))) return;
    const [from, to] = shown();
    const text = from === whole[0] && to === whole[1] ? words : inWords(from, to) + words.replace(/^.*? UTC/, '');
    if (text !== page.layout.annotations[place].text) Plotly.relayout(page, {[`annotations[${place}].text`]: text});
  });
}
"""

# The page is in an origin of its own and may not fetch: a script beside it, whose address has the window, answers with a call
# of `refined`. A page that was opened from a file has no server to ask and says so.
REFINE_ON_ZOOM = """
const beginRefining = () => {
  const page = document.getElementById('{plot_id}');
  const notes = document.getElementById('notes');
  const isServed = location.protocol.startsWith('http');
  const whole = page.data, wholeNotes = Array.from(notes.children, each => each.textContent.replace(/[.]$/, ''));
  const milliseconds = text => typeof text === 'number' ? text : Date.parse(String(text).replace(' ', 'T') + 'Z');
  const [start, stop] = page.layout.xaxis.range.map(milliseconds);
  const {tickvals, ticktext} = page.layout.xaxis;
  const keyOf = trace => JSON.stringify([trace.yaxis || 'y', trace.type || 'scatter', trace.mode || '', trace.name]);
  const isTime = name => name === 'xaxis' || (name.startsWith('xaxis') && page.layout[name].matches === 'x');
  const timeAxes = Object.keys(page.layout).filter(isTime);
  const show = ticks => timeAxes.forEach(name => Object.assign(page.layout[name], ticks, {tickmode: 'array'}));
  const isOverTime = trace => timeAxes.includes((trace.xaxis || 'x').replace('x', 'xaxis'));
  let asked = 0, waiting = null;

  const say = (lines, last) => notes.replaceChildren(...lines.map(line => {
    const text = document.createElement('p');
    text.textContent = line + last;
    return text;
  }));
  const end = isServed ? '; zoom in to see more.' : '; zooming in shows more under helio ui.';
  say(wholeNotes, end);

  window.refined = answer => {
    if (answer.number !== asked) return;
    if (answer.problem) return say([answer.problem], '');
    const left = answer.traces.slice();
    const take = trace => {
      const place = left.findIndex(each => keyOf(each) === keyOf(trace));
      if (place < 0) return {...trace, x: [], y: [], ...(trace.z ? {z: [], customdata: []} : {})};
      const [{x, y, z, customdata}] = left.splice(place, 1);
      return {...trace, x, y, ...(trace.z ? {z, customdata} : {})};
    };
    const axes = new Set(answer.traces.map(trace => trace.yaxis || 'y'));
    const kept = whole.map(trace => isOverTime(trace) && axes.has(trace.yaxis || 'y') ? take(trace) : trace);
    if (answer.ticks) show(answer.ticks);
    Plotly.react(page, [...kept, ...left], page.layout);
    say(answer.notes, answer.notes.length ? end : '');
  };

  const refine = () => {
    const [from, to] = page.layout.xaxis.range.map(milliseconds);
    asked += 1;
    if (from <= start && to >= stop) {
      if (tickvals) show({tickvals, ticktext});
      if (page.data !== whole) Plotly.react(page, whole, page.layout);
      return say(wholeNotes, end);
    }
    const name = location.pathname.split('/').pop().replace(/[.]html$/, '');
    const script = document.createElement('script');
    script.src = `${name}.refined.js?from=${Math.floor(from)}&to=${Math.ceil(to)}&number=${asked}&stamp={stamp}`;
    script.onload = script.onerror = () => script.remove();
    document.head.append(script);
  };
  if (isServed) page.on('plotly_relayout', change => {
    if (!Object.keys(change).some(key => key.startsWith('xaxis.'))) return;
    clearTimeout(waiting);
    waiting = setTimeout(refine, 60);
  });
};
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', beginRefining);
else beginRefining();
"""
