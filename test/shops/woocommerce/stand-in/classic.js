/* The classic checkout as far as payment methods meet it: the form is sent once, and the page goes where the answer says. */
jQuery(function ($) {
  var form = $('form.checkout');
  $.post('/?wc-ajax=update_order_review', ({ fragments }) => {
    for (const [place, html] of Object.entries(fragments)) $(place).replaceWith(html);
  });
  form.on('submit', function () {
    if (form.is('.processing')) return false;
    form.addClass('processing');
    $.ajax({
      type: 'POST',
      url: '/?wc-ajax=checkout',
      data: form.serialize(),
      dataType: 'json',
      success: function (answer) {
        if (answer.result === 'success') {
          window.location = answer.redirect;
          return;
        }
        form.removeClass('processing').prepend(answer.messages);
      },
    });
    return false;
  });
});
