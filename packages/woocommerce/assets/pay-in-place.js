/*
 * Opens the page of tilld over this page of the shop. The link to it works by itself: where the script of tilld is
 * blocked, or its page may not be framed, the customer goes there.
 */
(function () {
  var box = document.getElementById('tilld-pay');
  var link = box && box.querySelector('a');
  if (!link) return;

  /** The order goes on once money of these is seen; the rest of an underpaid payment is paid in the same window. */
  var SEEN = ['confirming', 'completed'];
  var ENDED = ['expired', 'cancelled', 'failed'];
  /** Long enough to read that the payment has arrived. */
  var READ_MS = 1500;
  /** Part of the address of a page that waits for a click: nobody who goes back is led on again. */
  var WAITING = '#pay';
  var isOpen = false;
  var isLeaving = false;
  var status = null;

  function leave(url) {
    isLeaving = true;
    window.location.assign(url);
  }

  function hear(payment) {
    status = payment.status;
    if (SEEN.indexOf(status) === -1 || isLeaving) return;
    isLeaving = true;
    setTimeout(leave, READ_MS, box.dataset.tilldBack);
  }

  function show() {
    if (isOpen || isLeaving) return;
    isOpen = true;
    window.Tilld.open({
      url: link.href,
      onStatus: hear,
      onClose: function () {
        isOpen = false;
        link.focus();
        if (isLeaving) leave(box.dataset.tilldBack);
      },
    });
  }

  function onClick(event) {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // The server makes another payment for one that has ended.
    if (ENDED.indexOf(status) !== -1) window.location.replace(window.location.href.split('#')[0]);
    else show();
  }

  function isBack() {
    var navigation = performance.getEntriesByType('navigation')[0];
    return window.location.hash === WAITING || (navigation && navigation.type === 'back_forward');
  }

  var script = document.createElement('script');
  script.src = box.dataset.tilldScript;
  script.onload = function () {
    if (!window.Tilld) return script.onerror();
    link.addEventListener('click', onClick);
    if (!isBack()) show();
  };
  script.onerror = function () {
    if (!isBack()) leave(link.href);
  };
  document.head.append(script);

  // The browser kept the page as it was left. What has become of the order meanwhile, the server knows.
  window.addEventListener('pageshow', function (event) {
    if (!event.persisted) return;
    history.replaceState(null, '', WAITING);
    window.location.reload();
  });
})();
